#!/usr/bin/env bash
# Runs a program over real verbs, without a network card: two ranks on a soft-RoCE
# device (rdma_rxe) in a guest of QEMU, whose kernel is that of Debian's package,
# unpacked and not installed.
#
#	testdata/ofi/verbs.sh PROGRAM FOLDER
#
# PROGRAM is what loopc compile emits for examples/diffusion, built with the tag ofi;
# FOLDER is empty and is left for the caller to remove. The guest sees the files of
# this machine read-only (9p), so that the program finds its libraries. It is an
# emulated machine, because rdma_rxe is not for every host's kernel: it boots in some
# 20 s, and its figures mean nothing.
#
# Exits with 77 and says so if something is missing here.
set -euo pipefail

program=$(realpath "$1")
folder=$(realpath "$2")
readonly limit=240 # seconds, of which a quiet machine takes a tenth
readonly address=10.77.0.1

missing() {
	echo "verbs: $1 is missing"
	exit 77
}
busybox=$(command -v busybox) || missing "busybox (Debian: busybox-static)"
! ldd "$busybox" >/dev/null 2>&1 || missing "a static busybox (Debian: busybox-static)"
for tool in qemu-system-x86_64 rdma ip dpkg-deb apt-get depmod modprobe; do
	PATH=$PATH:/usr/sbin:/sbin command -v "$tool" >"$folder/tool" || missing "$tool"
done
[ "$(uname -m)" = x86_64 ] || missing "a machine with amd64"

# The kernel, of about 70 MB.
cd "$folder"
package=$(apt-cache depends linux-image-amd64 2>"$folder/apt.log" | sed -n 's/^ *Depends: *\(linux-image-[0-9][^ ]*-amd64\)$/\1/p' | head -n 1)
[ -n "$package" ] || missing "the package linux-image-amd64"
apt-get download -q "$package" >>"$folder/apt.log" 2>&1 || missing "the package $package"
dpkg-deb -x "$package"_*.deb kernel
version=$(basename kernel/lib/modules/*)
PATH=$PATH:/usr/sbin:/sbin depmod -b kernel "$version"

# What the guest starts with: busybox, and the modules that it needs to see our files.
mkdir -p root/bin root/host root/proc root/sys root/dev "root/lib/modules/$version"
cp "$busybox" root/bin/busybox
cp kernel/lib/modules/"$version"/modules.* "root/lib/modules/$version/"
for module in virtio_pci 9pnet_virtio 9p crc32_generic veth rdma_rxe ib_uverbs rdma_ucm; do
	PATH=$PATH:/usr/sbin:/sbin modprobe -d "$folder/kernel" -S "$version" --show-depends "$module" >depends || missing "the module $module in $package"
	sed -n 's/^insmod *\([^ ]*\).*/\1/p' depends | while read -r file; do
		file=${file#"$folder/kernel/"}
		file=${file#/}
		mkdir -p "root/$(dirname "$file")"
		cp "kernel/$file" "root/$file"
	done
done
cat >root/init <<END
#!/bin/busybox sh
/bin/busybox --install -s /bin
PATH=/bin
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
for module in virtio_pci 9pnet_virtio 9p crc32_generic; do modprobe \$module || echo "no module \$module"; done
mount -t 9p -o trans=virtio,version=9p2000.L,ro,msize=262144 files /host
# rdma_rxe fails without a sign if crc32_generic is not there.
for module in veth rdma_rxe ib_uverbs rdma_ucm; do modprobe \$module || echo "no module \$module"; done
mount -t proc proc /host/proc
mount -t sysfs sys /host/sys
mount -t devtmpfs dev /host/dev
mkdir -p /program
cp "/host$program" /program/program
mount -t tmpfs tmp /host/tmp
cp /program/program /host/tmp/program
mount -t tmpfs shm /host/dev/shm || { mkdir /host/dev/shm; mount -t tmpfs shm /host/dev/shm; }
cat >/host/tmp/run <<'RUN'
PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
ip link set lo up
ip link add v0 type veth peer name v1
ip address add $address/24 dev v0
ip link set v0 up
ip link set v1 up
rdma link add rxe0 type rxe netdev v0
rdma link
ulimit -l unlimited
cd /tmp
export HOME=/tmp FI_UNIVERSE_SIZE=8 FI_OFI_RXM_MSG_TX_SIZE=64 FI_OFI_RXM_MSG_RX_SIZE=64
./program --transport ofi --provider 'verbs;ofi_rxm' -n 2 -p T=20,N=60 --random 1 --check
echo "the program ended with \$?"
RUN
chroot /host /bin/sh /tmp/run
poweroff -f
END
chmod +x root/init
(cd root && find . | busybox cpio -o -H newc 2>"$folder/cpio.log") | gzip -1 >initramfs

timeout "$limit" qemu-system-x86_64 -accel tcg,thread=multi -cpu max -smp 2 -m 1G -nographic -no-reboot -nic none \
	-kernel kernel/boot/vmlinuz-"$version" -initrd initramfs -append "console=ttyS0 quiet panic=-1" \
	-fsdev local,id=files,path=/,security_model=none,readonly=on,multidevs=remap -device virtio-9p-pci,fsdev=files,mount_tag=files \
	</dev/null >console 2>&1 || echo "QEMU ended with $?" >>console
if ! grep -q 'the program ended with 0' console || ! grep -q 'ofi (verbs' console; then
	tail -n 40 console
	echo "verbs: the program did not run over verbs in a guest of QEMU"
	exit 1
fi
grep -a 'diffusion:' console
