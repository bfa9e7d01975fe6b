"""docs/guides/access.md holds the table of the code."""

from sextant_backend.migrate import MIGRATIONS
from sextant_domain.console.access import TABLE, Permission, Role, permissions_of

GUIDE = MIGRATIONS.parent / "docs" / "guides" / "access.md"


def _rows() -> str:
    return "\n".join(f"| `{one}` | {TABLE[one].role} | {TABLE[one].allows} |" for one in Permission)


def test_the_guide_holds_the_table() -> None:
    written = GUIDE.read_text().split("|---|---|---|\n")[1].split("\n<!-- end -->")[0]
    assert written == _rows()


def test_each_role_includes_the_ones_before_it() -> None:
    viewer, operator, admin = (set(permissions_of(role)) for role in Role)
    assert viewer < operator < admin == set(Permission)
    kept = {"users.manage", "authority.manage", "hosts.enrol", "automation.policy", "alerts.rules"}
    kept |= {"notifications.manage"}
    assert {one.value for one in admin - operator} == kept
