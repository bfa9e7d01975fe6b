"""Signing in: what opens the console, what does not, and what is written about it."""

from fastapi.testclient import TestClient


def test_signed_in_user_sees_own_session(client: TestClient) -> None:
    answer = client.get("/api/v1/auth/session")
    assert answer.status_code == 200
    assert answer.json()["username"] == "ada"
    assert answer.json()["role"] == "operator"
