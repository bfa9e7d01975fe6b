#!/bin/sh
# What docker-compose.yml needs once: passwords of the two servers as files, and .env with this machine's address.
#
#   sh deploy/init.sh ADDRESS [FOLDER]
#
# ADDRESS is where hosts reach this machine: a name or an IP address, without a port (SEXTANT_FLEET_PORT in .env says
# another than 9443). FOLDER is where all is written (default: the clone).
# Nothing that is there is changed: a password that a server was made with cannot be made anew here.
set -eu

refuse() {
    sed -n '2,8s/^# \{0,1\}//p' "$0" >&2
    [ -z "$1" ] || echo "ADDRESS: $1" >&2
    exit 2
}

address=${1:-}
case $address in
    '') refuse '' ;;
    \[*\]:*) refuse "'$address' has a port" ;;
    \[*:*:*\]) address=${address#?} address=${address%?} ;;
esac
case $address in
    *:*:*)
        case $address in
            *[!0-9A-Fa-f:.]*) refuse "'$address' is no IPv6 address" ;;
        esac
        address="[$address]" # as it stands in https://ADDRESS:PORT
        ;;
    *:*) refuse "'$address' has a port" ;;
    '' | -* | .* | *[!A-Za-z0-9.-]*) refuse "'$address' is neither a name nor an IP address" ;;
esac
cd "${2:-$(dirname "$0")/..}"
secrets=deploy/secrets
if [ -e $secrets ] || [ -e .env ]; then
    echo "$secrets or .env is there: nothing was changed. Remove both for a new installation." >&2
    exit 1
fi

random() { od -An -v -N"$1" -tx1 /dev/urandom | tr -d ' \n'; }

# Containers read each file as the user they run as, so files are open and the folder is closed: compose mounts them singly.
umask 077
mkdir -p $secrets
database=$(random 24)
queue=$(random 24)
printf '%s' "$database" >$secrets/postgres-password
printf 'postgresql+psycopg://sextant:%s@postgres:5432/sextant\n' "$database" >$secrets/database-url
printf 'requirepass %s\n' "$queue" >$secrets/valkey.conf
printf 'redis://:%s@valkey:6379/0\n' "$queue" >$secrets/redis-url
random 32 >$secrets/secrets-key # of docs/contracts/processes.md: secrets in the database are sealed under it
random 32 >$secrets/audit-key # the audit log is sealed with it
: >$secrets/prometheus-token # of an API token, once there is a console that can make one: docs/guides/metrics.md
chmod 444 $secrets/*
printf '# Read by docker compose; deploy/README.md says what else may stand here.\nSEXTANT_FLEET_ADDRESS=%s\n' "$address" >.env
echo "Written: $secrets and .env. Next: docker compose up --detach --build --wait"
