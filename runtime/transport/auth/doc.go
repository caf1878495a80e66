// Package auth is how the processes of a run recognize one another: ranks in a mesh, and
// a rank and its launcher. It protects a run against others on the network, and against
// other users of the hosts.
//
// # Who is in the run
//
// The processes share a Secret of 32 random bytes. It reaches them by standard input, an
// inherited descriptor, a file of mode 0600, PMI, or at worst the environment
// (LOOPC_SECRET), and never on a command line (LoadSecret). A process removes the
// variable before it starts others, which therefore do not inherit it. The kernel keeps
// the first environment of the process: /proc/PID/environ shows the secret as long as
// the process lives, to the same user and to root, and to nobody else.
//
// Both sides of a connection prove by HMAC-SHA256 that they know the secret, over both
// nonces, roles, ranks, sizes, the digest of program and plan, and the exporter of the
// TLS session, before either believes a byte of what the other says. A Door has 64
// places, of 2 s each, for who has not proved it yet; lengths are fixed until then.
//
// # What travels
//
// Frames between hosts carry a MAC (GMAC, a key for each direction of each connection,
// implicit numbers), as messages to and from the launcher always do; or they go through
// TLS 1.3 (--tls), which also hides them. Altered, repeated, missing or reordered frames
// end the run. Frames without MAC carry a CRC-32C, against accidents: a bit that flips
// on the way ends the run, with rank, peer and step.
//
// Shared memory: package shm has a socket in the abstract namespace, whose name is a MAC
// of the rank, the running kernel, its namespaces and the user. Who connects must be of
// this user, and must prove that it knows the secret before a descriptor is passed or
// taken. Memory has no name, cannot shrink, and what the peer writes into it is read
// once and bounded. With --tls or --mac on, ranks of one host use TCP.
//
// # Where processes listen
//
// At 127.0.0.1, or the one address that --listen or the launcher names; with --hosts,
// the one by which the hosts see the launcher, and on each host the one that leads to
// it. --metrics listens at 127.0.0.1 unless an address is named, and tells whoever asks.
//
// Names (of hosts, folders on them, jobs, images, options) are checked letter by letter
// before a shell, ssh, Slurm or Kubernetes sees them; arguments are quoted. A manifest
// holds the secret, and only its owner can read it.
//
// # What is not protected
//
//   - Anything from root or the same user of a host, who can read the memory of a
//     process.
//   - TCP within a host (loopback), whose frames carry a CRC-32C but no MAC unless
//     --mac on.
//   - What is said without TLS, from being read.
//   - A run, from being stopped by who can cut connections or flood a port.
//   - Ranks from one another: they are believed within bounds.
//   - The RDMA fabric and MPI, which are trusted. What ranks settle goes over TCP as
//     above, but faces are neither encrypted nor signed there. Who may write into a
//     rank's memory is decided by keys, random where the fabric lets us choose them;
//     what arrives is checked for whom it is and how long it is.
//
// Source: HMAC (RFC 2104), GMAC (NIST SP 800-38D), TLS 1.3 and its exporters (RFC 8446).
package auth
