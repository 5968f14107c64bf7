#!/bin/sh
# What pip cannot install: the text layout libraries of WeasyPrint, and for the suite LaTeX, Chromium and poppler.
# Usage: system-packages.sh venv PYTHON | demo | test
# As root on a Debian-like system the missing packages are installed; elsewhere one line says which they are.
set -eu

missing=""
need() { # need PACKAGE COMMAND…: the package is missing if the command fails
    package=$1
    shift
    "$@" >/dev/null 2>&1 || case " $missing " in *" $package "*) ;; *) missing="$missing $package" ;; esac
}
library() {
    if [ "$(uname -s)" != Linux ]; then return 0; fi # elsewhere WeasyPrint itself says where it looked
    { ldconfig -p 2>/dev/null || /sbin/ldconfig -p; } | grep -q "$1"
}

layout() {
    need libpango-1.0-0 library libpango-1.0.so.0
    need libpangoft2-1.0-0 library libpangoft2-1.0.so.0
    need libharfbuzz-subset0 library libharfbuzz-subset.so.0
}

case "$1" in
    venv)
        version=$("$2" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
        need "python$version-venv" "$2" -c 'import ensurepip, venv'
        ;;
    demo)
        layout
        ;;
    test)
        layout
        need poppler-utils command -v pdftoppm
        need chromium command -v chromium
        need chromium-driver command -v chromedriver
        need texlive-latex-base command -v pdflatex
        need texlive-latex-recommended kpsewhich booktabs.sty
        need texlive-publishers kpsewhich acmart.cls
        need texlive-latex-extra kpsewhich totpages.sty # acmart asks for it
        need texlive-luatex kpsewhich luacode.sty # acmart asks for it under lualatex
        need texlive-fonts-recommended kpsewhich phvr8t.tfm
        need texlive-science kpsewhich siunitx.sty # the number macros are tried in it
        need lmodern kpsewhich lmodern.sty
        ;;
    *)
        echo "usage: $0 venv PYTHON | demo | test" >&2
        exit 2
        ;;
esac

[ -n "$missing" ] || exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    echo "installing$missing"
    export DEBIAN_FRONTEND=noninteractive
    # shellcheck disable=SC2086 # a list of package names, one word each
    apt-get update -qq >/dev/null && apt-get install -y -qq --no-install-recommends $missing >/dev/null
else
    echo "Please install these system packages first (Debian's names):$missing" >&2
    exit 1
fi
