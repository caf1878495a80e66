// Package shm carries faces between ranks of one host through memory that both
// have mapped: the sender packs into it, the receiver reads there, and nothing
// is copied on the way. It is a way past the network for the mesh of package
// tcp, not a mesh of its own: a pair of ranks on one host is connected by a
// Unix socket instead of TCP, with the same handshake, heartbeats, goodbyes and
// aborts, and the edges between the two are rings in shared memory. Ranks of
// other hosts are reached by TCP, in the same transport.
//
// # Who shares a host
//
// The socket's name lies in the abstract namespace, which belongs to a network
// namespace of one running kernel, and is a MAC, with the run's secret, of the rank,
// the kernel's boot identifier, the namespaces and the user. So it cannot be guessed
// or found from another host or another container, and whoever answers is asked
// for its user, and then to prove that it knows the secret. Where nobody answers, TCP is used.
//
// # Memory
//
// The receiver of an edge makes its memory, a memfd that has no name and whose
// size is sealed, and passes its descriptor over the socket with the frame that
// grants the first credits. What is left of a killed process is what other
// processes have mapped, and goes with them. A mapping ends when neither the
// transport nor the edge can be reached any more, because faces in it may be
// read until then.
//
// # What the peer can do
//
// The peer writes its counts and the lengths of faces at any time and as it
// likes. Each is read once, and compared with what it can be, before it is used;
// what cannot be is transport.ErrProtocol. The memory cannot shrink under the
// reader, and its pages are there from the beginning.
//
// # Waiting
//
// A waiter polls for some 10 us and then sleeps on a futex in the shared memory,
// which whoever it waits for wakes. The end of the connection, a failure and the
// end of a context wake it too. Since a face is in the receiver's memory once it
// is posted, Sync has nothing to wait for.
//
// The race detector does not see mapped memory. Builds with it use the mapped memory
// all the same: it then checks everything around the memory, but not the order of accesses to a
// slot.
package shm
