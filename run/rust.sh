# Part of bootstrap.sh: a Rust that can build the placement engine. Debian 12's own (`rustc`, 1.63) is too old for PyO3;
# the one it keeps fresh for its browsers (`rustc-web`) and Debian 13's are not.

needed_rust=$(sed -n 's/^rust-version = "\([0-9.]*\)".*/\1/p' engine/Cargo.toml)

new_enough() { # new_enough VERSION
    [ -n "$1" ] && printf '%s\n%s\n' "$needed_rust" "$1" | sort -V -C
}

cargo_version() { # cargo_version CARGO
    "$1" --version 2>/dev/null | cut -d ' ' -f 2
}

find_rust() { # a cargo on PATH that is new enough; rustup's is put there if need be
    ! new_enough "$(cargo_version cargo)" || return 0
    folder=${CARGO_HOME:-${HOME:-}/.cargo}/bin
    new_enough "$(cargo_version "$folder/cargo")" || return 1
    PATH=$folder:$PATH
    export PATH
}

rust_packages() { # Debian's names of a Rust that is new enough, with its linters; nothing where apt knows none
    ! command -v cargo >/dev/null || return 0 # an old one is there: apt would have to remove it
    for suffix in '' -web; do
        if new_enough "$(apt-cache policy "rustc$suffix" 2>/dev/null | sed -n 's/^ *Candidate: \([0-9.]*\).*/\1/p')"; then
            case $suffix in
                '') printf 'cargo rustfmt rust-clippy ' ;;
                *) printf 'cargo-web rustfmt-web rust-web-clippy ' ;;
            esac
            return
        fi
    done
}

rustup="curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh"

run_rustup() { # its own installer, into ~/.cargo and ~/.rustup; where it cannot be reached find_rust fails afterwards
    sh -c "$rustup -s -- -y --no-modify-path --profile minimal --component rustfmt --component clippy"
}

rust_is_missing() {
    printf 'Rust %s or newer is missing (cargo and rustc, on PATH or in ~/.cargo/bin): the placement engine is built with it.\n' \
        "$needed_rust"
    printf "Debian 12's package rustc is too old for PyO3, which lends the engine to Python.\n"
}
