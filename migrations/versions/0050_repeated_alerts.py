"""How often an alert that nobody acknowledges is sent again, by rule; a message that says so."""

import sqlalchemy as sa
from alembic import op

revision = "0050"
down_revision = "0049"
branch_labels = None
depends_on = None

FOUR_HOURS_S = "14400"
BEFORE = "event IN ('alert.fired', 'alert.resolved', 'test')"
AFTER = "event IN ('alert.fired', 'alert.repeated', 'alert.resolved', 'test')"


def upgrade() -> None:
    """Rules that somebody has changed are sent again after four hours, as those as shipped are."""
    repeat = sa.Column("repeat_after_s", sa.Float(), server_default=FOUR_HOURS_S, nullable=False)
    op.add_column("alert_rules", repeat)
    op.alter_column("alert_rules", "repeat_after_s", server_default=None)
    op.drop_constraint("event", "notification_deliveries", type_="check")
    op.create_check_constraint("event", "notification_deliveries", AFTER)


def downgrade() -> None:
    """Messages that say so are removed with it."""
    op.execute("DELETE FROM notification_deliveries WHERE event = 'alert.repeated'")
    op.drop_constraint("event", "notification_deliveries", type_="check")
    op.create_check_constraint("event", "notification_deliveries", BEFORE)
    op.drop_column("alert_rules", "repeat_after_s")
