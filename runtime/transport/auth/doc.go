// Package auth authenticates the processes of a run to one another: ranks in a mesh, and a
// rank and its launcher. It protects a run against others on the network, and against other
// users of the hosts.
//
// # Who is in the run
//
// The processes share a Secret of 32 random bytes. It reaches them by standard input, an
// inherited descriptor, a file of mode 0600, PMI, or at worst the environment
// (LOOPC_SECRET), and never on a command line (LoadSecret). A process removes the variable,
// so that child processes do not inherit it. The kernel keeps the initial environment:
// /proc/PID/environ shows the secret to the same user and to root, as long as the process
// lives.
//
// Before either side of a connection accepts other data, both prove by HMAC-SHA256 that they
// know the secret. The proofs cover both nonces, the roles, ranks and sizes, the digest of
// program and plan, and the exporter of the TLS session. A Door admits at most 64
// unauthenticated connections, for 2 s each; until authentication, all messages have fixed
// lengths.
//
// # What travels
//
// Frames between hosts carry a MAC (GMAC, a key for each direction of each connection,
// implicit numbers), or go through TLS 1.3 (--tls), which also encrypts them. Messages to
// and from the launcher always carry a MAC. Altered, repeated, missing or reordered frames
// end the run. Frames without MAC carry a CRC-32C, against accidents: a bit flip ends the
// run with an error that names rank, peer and step.
//
// Shared memory: package shm has a socket in the abstract namespace, whose name is a MAC of
// the rank, the host's boot identifier, the namespaces and the user. A process that connects
// must belong to this user, and must prove that it knows the secret before descriptors are
// exchanged. The memory has no name and cannot shrink. Values that the peer writes into it
// are read once and checked against bounds. With --tls or --mac on, ranks of one host use
// TCP.
//
// # Where processes listen
//
// At 127.0.0.1, or at the one address that --listen or another launcher names. With
// --hosts, the launcher listens at the address by which the hosts reach it, and each host
// at the address of its connection to the launcher. --metrics listens at 127.0.0.1 unless
// an address is named, without authentication.
//
// Names (of hosts, folders on them, jobs, images, options) are checked letter by letter
// before a shell, ssh, Slurm or Kubernetes sees them; arguments are quoted. A manifest
// holds the secret, and only its owner can read it.
//
// # What is not protected
//
//   - Anything, from root or the same user of a host, who can read the memory of a
//     process.
//   - TCP within a host (loopback), whose frames carry a CRC-32C but no MAC unless
//     --mac on.
//   - Data sent without TLS, from being read.
//   - A run, from being stopped by somebody who can cut connections or flood a port.
//   - Ranks from one another: they are believed within bounds.
//   - The RDMA fabric and MPI, which are trusted. Control messages go over TCP as
//     above, but faces are neither encrypted nor signed. Keys control who may write into
//     a rank's memory; they are random if the fabric lets us choose them. The edge and
//     the length of an arriving face are checked.
//
// Source: HMAC (RFC 2104), GMAC (NIST SP 800-38D), TLS 1.3 and its exporters (RFC 8446).
package auth
