"""The servers, the clean database and the signed-in client of the backend's tests."""

from conftest import app_client, application, clean, client, settings, sign_in

__all__ = ["app_client", "application", "clean", "client", "settings", "sign_in"]
