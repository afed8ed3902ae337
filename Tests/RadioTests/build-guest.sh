#!/bin/bash
# build-guest.sh CACHE SUITE...: what the radio tests need beside the product, below CACHE: Bumble in a venv, and for
# each Debian suite (trixie: BlueZ 5.82; bookworm: BlueZ 5.66) an initramfs with bluetoothd.
#
# All guests run trixie's kernel: that of bookworm (6.1) was seen to crash in hci_chan_del when a peripheral had lost
# its bond. Only Debian's packages and PyPI are used. Exits with 77 where they cannot be had.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cache=$1
shift
mkdir -p "$cache"
cache=$(cd "$cache" && pwd)
kernel_suite=trixie

unavailable() {
    echo "radio: $1" >&2
    exit 77
}

host_packages() {
    local missing="" package
    for package in qemu-system-x86 mmdebstrap kmod cpio xz-utils zstd python3-venv; do
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q "ok installed" || missing="$missing $package"
    done
    [ -z "$missing" ] && return
    [ "$(id -u)" = 0 ] || unavailable "not installed, and only root can install them:$missing"
    apt-get update -qq || unavailable "Debian's package lists cannot be had"
    # shellcheck disable=SC2086 # the list is meant to be split
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing > /dev/null ||
        unavailable "these packages cannot be installed:$missing"
}

bumble() {
    cmp -s "$here/requirements.txt" "$cache/venv/requirements.txt" && return
    python3 -m venv "$cache/venv"
    "$cache/venv/bin/pip" install --quiet --disable-pip-version-check -r "$here/requirements.txt" ||
        unavailable "Bumble cannot be had from PyPI"
    cp "$here/requirements.txt" "$cache/venv/"
}

# Extracted and never configured: no maintainer script runs.
packages_of() {
    local folder=$cache/$1 suffix=""
    [ -e "$folder/unpacked" ] && return
    [ "$1" = bookworm ] || suffix=t64
    rm -rf "${folder:?}"
    mkdir -p "$folder"
    mmdebstrap --quiet --variant=extract \
        --include="bash,coreutils,kmod,busybox-static,dbus,bluez,libstdc++6,libgcc-s1,libssl3$suffix,libcurl4$suffix" \
        --include="$([ "$1" = $kernel_suite ] && echo linux-image-amd64 || echo bash)" \
        --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' \
        --dpkgopt='path-exclude=/usr/share/locale/*' \
        "$1" "$folder/root" || unavailable "the packages of $1 cannot be had"
    slim "$folder/root"
    touch "$folder/unpacked"
}

slim() (
    cd "$1"
    if compgen -G "boot/vmlinuz-*" > /dev/null; then
        mkdir -p ../kernel/lib
        mv boot ../kernel/
        mv lib/modules ../kernel/lib/
        mkdir boot
    fi
    rm -rf usr/share/{doc,man,locale,perl,perl5,info,alsa,bash-completion,lintian,common-licenses,bug,gcc} \
        usr/share/{initramfs-tools,zoneinfo} usr/lib/x86_64-linux-gnu/{perl,perl5,perl-base,gconv} usr/bin/perl* \
        var/lib/{dpkg,apt} var/cache var/log {,usr/}lib/udev/hwdb.d {,usr/}lib/systemd usr/lib/firmware
)

# The ELF kernel boots by PVH: neither SeaBIOS' load nor the decompressor, which take seconds under emulation.
elf_kernel() (
    cd "$cache/$kernel_suite"
    [ -e vmlinux ] && return
    ls kernel/lib/modules > kernel-version
    depmod -b kernel "$(cat kernel-version)"
    python3 - "kernel/boot/vmlinuz-$(cat kernel-version)" vmlinux <<'PYTHON'
import subprocess, sys
data = open(sys.argv[1], "rb").read()
# Bytes follow the frame, which zstd grumbles about.
elf = subprocess.run(["zstd", "-dc"], input=data[data.find(b"\x28\xb5\x2f\xfd"):], capture_output=True).stdout
assert elf[:4] == b"\x7fELF"
open(sys.argv[2], "wb").write(elf)
PYTHON
)

modules_into() {
    local kernel=$cache/$kernel_suite/kernel version file target
    version=$(cat "$cache/$kernel_suite/kernel-version")
    # Without drbg and its like the kernel's ECDH cannot make a key, and Secure Connections fail.
    local names="bluetooth hci_vhci hci_uart 9p 9pnet_virtio virtio_pci virtio_console virtio_rng uhid algif_hash
        algif_skcipher aes_generic cmac ecb ctr hmac sha256_generic sha512_generic drbg jitterentropy_rng ecdh_generic
        ccm gcm"
    rm -rf "$1/lib/modules"
    for name in $names; do modprobe -d "$kernel" -S "$version" --show-depends "$name" 2>/dev/null || true; done |
        awk '$1 == "insmod" { print $2 }' | sort -u | while read -r file; do
        target=$1/lib/modules/$version/${file#*"/lib/modules/$version/"}
        mkdir -p "$(dirname "$target")"
        case $file in
        *.xz) xz -dc "$file" > "${target%.xz}" ;;
        *) cp "$file" "$target" ;;
        esac
    done
    cp "$kernel/lib/modules/$version"/modules.{order,builtin,builtin.modinfo} "$1/lib/modules/$version/"
    depmod -b "$1" "$version"
}

initramfs_of() {
    local root=$cache/$1/root archive=$cache/$1/initramfs.cpio
    [ "$archive" -nt "$here/guest-init" ] && [ "$archive" -nt "$here/build-guest.sh" ] && return
    modules_into "$root"
    (
        cd "$root"
        mkdir -p proc sys dev run tmp host root var/lib/bluetooth var/lib/dbus etc usr/local/bin
        # Clients look for the bus below /var/run.
        rm -rf var/run
        ln -s /run var/run
        printf '%s\n' root:x:0:0:root:/root:/bin/sh messagebus:x:101:101::/:/bin/false > etc/passwd
        printf '%s\n' root:x:0: messagebus:x:101: bluetooth:x:102: lp:x:7: > etc/group
        printf 'passwd: files\ngroup: files\nhosts: files\n' > etc/nsswitch.conf
        echo 0123456789abcdef0123456789abcdef > etc/machine-id
        [ -e bin/sh ] || ln -s bash bin/sh
        install -m 755 "$here/guest-init" init
        ldconfig -r . 2>/dev/null || true
        find . -xdev -print0 | cpio --quiet -0 -o -H newc > "$archive.new"
        mv "$archive.new" "$archive"
    )
}

host_packages
bumble
packages_of $kernel_suite
elf_kernel
for suite in "$@"; do
    packages_of "$suite"
    initramfs_of "$suite"
done
