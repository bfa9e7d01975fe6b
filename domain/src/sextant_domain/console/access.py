"""The one table of roles and permissions: endpoints, buttons, commands and docs/guides/access.md read it from here."""

from enum import StrEnum

from sextant_domain.base import Frozen


class Role(StrEnum):
    """Each includes the ones before it."""

    VIEWER = "viewer"
    OPERATOR = "operator"
    ADMIN = "admin"

    @property
    def rank(self) -> int:
        """0 for viewer; a higher one may do more."""
        return list(Role).index(self)

    def may(self, permission: "Permission") -> bool:
        """Whether this role has the permission."""
        return self.rank >= TABLE[permission].role.rank


class Permission(StrEnum):
    """What a request needs, by the name that OpenAPI gives it as `x-sextant-permission`."""

    READ = "read"
    SESSION = "session.own"
    ACCOUNT = "account.own"
    METRICS_READ = "metrics.read"
    CHAINS_WRITE = "chains.write"
    PLANS_APPLY = "plans.apply"
    OPERATIONS_CONTROL = "operations.control"
    NF_TYPES_WRITE = "nf-types.write"
    ARTEFACTS_WRITE = "artefacts.write"
    PROFILING_RUN = "profiling.run"
    MODELS_PROMOTE = "models.promote"
    STUDIES_RUN = "studies.run"
    ALGORITHMS_COMPARE = "algorithms.compare"
    RECOMMENDATIONS_DECIDE = "recommendations.decide"
    AUTOMATION_STOP = "automation.stop"
    HOSTS_MAINTAIN = "hosts.maintain"
    ALERTS_ACT = "alerts.act"
    FLEET_EXPORT = "fleet.export"
    AUDIT_READ = "audit.read"
    DEMO_MANAGE = "demo.manage"
    FAULTS_INJECT = "faults.inject"
    PACKETS_CAPTURE = "packets.capture"
    AUTOMATION_POLICY = "automation.policy"
    ALERTS_RULES = "alerts.rules"
    NOTIFICATIONS_MANAGE = "notifications.manage"
    HOSTS_ENROL = "hosts.enrol"
    AUTHORITY_MANAGE = "authority.manage"
    USERS_MANAGE = "users.manage"


class Grant(Frozen):
    """The least role that has a permission, and what it allows."""

    role: Role
    allows: str


TABLE: dict[Permission, Grant] = {
    Permission.READ: Grant(role=Role.VIEWER, allows="See every page and list but the audit log, and predictions"),
    Permission.SESSION: Grant(role=Role.VIEWER, allows="Sign out, change one's password, report one's requests"),
    Permission.ACCOUNT: Grant(role=Role.VIEWER, allows="List and end one's own sessions and API tokens, create tokens"),
    Permission.METRICS_READ: Grant(role=Role.VIEWER, allows="Read the metrics of the fleet for Prometheus"),
    Permission.CHAINS_WRITE: Grant(role=Role.OPERATOR, allows="Create, adjust, import and delete chains"),
    Permission.PLANS_APPLY: Grant(role=Role.OPERATOR, allows="Ask for plans, apply and reject them"),
    Permission.OPERATIONS_CONTROL: Grant(role=Role.OPERATOR, allows="Retry, roll back, cancel and give up operations"),
    Permission.NF_TYPES_WRITE: Grant(role=Role.OPERATOR, allows="Register, change and remove NF types"),
    Permission.ARTEFACTS_WRITE: Grant(role=Role.OPERATOR, allows="Upload and delete artefacts"),
    Permission.PROFILING_RUN: Grant(role=Role.OPERATOR, allows="Design, start and steer profiling jobs"),
    Permission.MODELS_PROMOTE: Grant(
        role=Role.OPERATOR, allows="Fit models, put models, levels, shares and networks in use"
    ),
    Permission.STUDIES_RUN: Grant(role=Role.OPERATOR, allows="Start, cancel, repeat and delete lab studies"),
    Permission.ALGORITHMS_COMPARE: Grant(role=Role.OPERATOR, allows="Compare algorithms on a snapshot"),
    Permission.RECOMMENDATIONS_DECIDE: Grant(role=Role.OPERATOR, allows="Accept and dismiss recommendations"),
    Permission.AUTOMATION_STOP: Grant(role=Role.OPERATOR, allows="Stop all control laws, and let them go on"),
    Permission.HOSTS_MAINTAIN: Grant(
        role=Role.OPERATOR,
        allows=(
            "Cordon hosts and put them back into service, reserve cores, set slots of cores, plan maintenance windows"
        ),
    ),
    Permission.ALERTS_ACT: Grant(role=Role.OPERATOR, allows="Acknowledge and silence alerts"),
    Permission.FLEET_EXPORT: Grant(role=Role.OPERATOR, allows="Export the fleet as a file"),
    Permission.AUDIT_READ: Grant(role=Role.OPERATOR, allows="Read and verify the audit log"),
    Permission.DEMO_MANAGE: Grant(role=Role.OPERATOR, allows="Add and remove the demonstration fleet"),
    Permission.FAULTS_INJECT: Grant(role=Role.OPERATOR, allows="Order faults on simulated hosts"),
    Permission.PACKETS_CAPTURE: Grant(role=Role.OPERATOR, allows="Capture headers of packets that measure themselves"),
    Permission.AUTOMATION_POLICY: Grant(role=Role.ADMIN, allows="Set how far control laws may act"),
    Permission.ALERTS_RULES: Grant(role=Role.ADMIN, allows="Set which alerts there are, their thresholds and severity"),
    Permission.NOTIFICATIONS_MANAGE: Grant(role=Role.ADMIN, allows="Set where alerts are sent, and test it"),
    Permission.HOSTS_ENROL: Grant(role=Role.ADMIN, allows="Enrol hosts, withdraw their tokens, delete hosts"),
    Permission.AUTHORITY_MANAGE: Grant(role=Role.ADMIN, allows="Revoke the certificates of hosts"),
    Permission.USERS_MANAGE: Grant(
        role=Role.ADMIN,
        allows="Create users, set roles, disable, reset passwords, set up sign-in by an identity provider",
    ),
}


def permissions_of(role: Role) -> tuple[Permission, ...]:
    """What a role may do, in the order of the table."""
    return tuple(permission for permission in Permission if role.may(permission))
