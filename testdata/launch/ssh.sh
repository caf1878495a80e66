# Four ranks that the program starts itself on two hosts by ssh: two names of this one,
# whose sshd is started for this, with keys of its own, and stopped after it.
launcher=ssh
rank_variable=LOOPC_RANK
. "$(dirname "$0")/common.sh"
port=$((27000 + $$ % 1000))
mkdir "$work/there" && chmod 755 "$work"
executable="$(readlink -f "$work")/there/loopc.*/program"
ssh-keygen -q -t ed25519 -N '' -f "$work/host_key" && ssh-keygen -q -t ed25519 -N '' -f "$work/key" || fail "there are no keys"
cp "$work/key.pub" "$work/authorized_keys"
sed "s/^/[127.0.0.1]:$port,[localhost]:$port /" "$work/host_key.pub" >"$work/known_hosts"
cat >"$work/sshd_config" <<END
ListenAddress 127.0.0.1:$port
HostKey $work/host_key
PidFile $work/sshd.pid
AuthorizedKeysFile $work/authorized_keys
StrictModes no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin prohibit-password
SetEnv TMPDIR=$(readlink -f "$work")/there
END
cat >"$work/config" <<END
IdentityFile $work/key
IdentitiesOnly yes
IdentityAgent none
UserKnownHostsFile $work/known_hosts
GlobalKnownHostsFile none
StrictHostKeyChecking yes
AddressFamily inet
END
printf '#!/bin/sh\nexec ssh -F "%s/config" "$@"\n' "$work" >"$work/ssh" && chmod 700 "$work/ssh"
export LOOPC_SSH=$work/ssh
[ "$(id -u)" != 0 ] || mkdir -p /run/sshd # where it drops its privileges
"$(command -v sshd)" -D -e -f "$work/sshd_config" >"$work/sshd" 2>&1 &
daemon=$!
trap 'kill $daemon' EXIT
for ((try = 0; try < 200; try++)); do
	"$work/ssh" -o BatchMode=yes -p "$port" -- 127.0.0.1 true >"$work/reached" 2>&1 && break
	sleep 0.1
done
printf '127.0.0.1:%d slots=2\nlocalhost:%d slots=2 # the same\n' "$port" "$port" >"$work/hosts"
launch() { "$program" --hosts "$work/hosts" "$@"; }
check 'rank 2: its process on (127.0.0.1|localhost):[0-9]+ was ended by signal 9' 'rank 0: its process on (127.0.0.1|localhost):[0-9]+ was ended by signal 9'
[ -z "$(ls "$work/there")" ] || fail "$(ls -R "$work/there") is left on the hosts"
# removed WHAT: the copies of the program are gone, 12 s after WHAT happened at most.
removed() {
	local try
	for ((try = 0; try < 120; try++)); do
		[ -n "$(ls "$work/there")" ] || return 0
		sleep 0.1
	done
	fail "$(ls -R "$work/there") is left on the hosts after $1"
}
# children PID [NAME]: the processes that PID has started, of that name if there is one.
children() {
	local folder
	for folder in /proc/[0-9]*; do
		grep -qs "^PPid:[[:space:]]*$1\$" "$folder/status" && grep -qs "^Name:[[:space:]]*${2:-}" "$folder/status" && echo "${folder#/proc/}"
	done
}
for signal in KILL HUP; do
	stopped "$signal" "$program" --hosts "$work/hosts"
	removed "SIG$signal"
done
# The daemon's side of the connections stops, as if the link were cut: what is there hears
# nothing more, and no end of the connection either.
: >"$work/said"
"$program" --hosts "$work/hosts" --patience 1s "${long[@]}" >"$work/said" 2>&1 &
launched=$!
for ((try = 0; try < 300; try++)); do
	grep -q '"done":[1-9]' "$work/said" && break
	sleep 0.1
done
[ -n "$(victim 3)" ] || fail "there is no rank 3"
sessions=$(children "$(cat "$work/sshd.pid")")
sessions+=" $(for session in $sessions; do children "$session" sshd; done)" # of another user than root
kill -STOP $sessions
removed "the link was cut"
kill -KILL $sessions
wait "$launched" && fail "the exit status is 0 though the link was cut"
echo "$launcher: nothing is left on the hosts, whatever ends the run"
! grep -Eiq '[0-9a-f]{64}' "$work"/said* "$work/sshd" || fail "the secret can be read"

# A host that does not let us in is named, and nothing is left on the other.
cp "$work/host_key.pub" "$work/authorized_keys"
launch "${small[@]}" >"$work/said" 2>&1 && fail "strangers are let in"
grep -q 'host 127.0.0.1:[0-9]*: the program cannot be copied there: ssh has not reached .*: exit status 255: .*Permission denied' "$work/said" || fail "nothing says why"
echo "$launcher: refused with the reason"
