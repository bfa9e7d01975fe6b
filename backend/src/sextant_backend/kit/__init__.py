"""What every module uses: session, errors, paging, outbox, principal. Knows no module."""
