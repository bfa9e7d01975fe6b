"""The one row that says how many hosts the demonstration fleet is to have."""

from sqlalchemy import CheckConstraint
from sqlalchemy.orm import Mapped, mapped_column

from sextant_backend.kit.db import Base


class DemoFleetRow(Base):
    """None: nobody ever asked for one."""

    __tablename__ = "demo_fleet"
    __table_args__ = (CheckConstraint("the_one", name="the_one"),)

    the_one: Mapped[bool] = mapped_column(primary_key=True, server_default="true")
    hosts: Mapped[int]
