// Package shm transports faces between ranks of one host through shared memory: the sender
// packs into it and the receiver reads from it, without copies. It extends the mesh of
// package tcp and is not a mesh of its own: two ranks of one host are connected by a Unix
// socket instead of TCP, with the same handshake, heartbeats, goodbyes and aborts, and
// their edges are rings in shared memory. The same transport reaches ranks of other hosts
// by TCP.
//
// # Who shares a host
//
// The socket's name is in the abstract namespace, which belongs to a network namespace of
// one running kernel. The name is a MAC, with the run's secret, of the rank, the kernel's
// boot identifier, the namespaces and the user. So the name cannot be guessed, and ranks of
// other hosts or containers compute other names. The user of the answering process is
// checked, and the process must prove that it knows the secret. If nobody answers, TCP is
// used.
//
// # Memory
//
// The receiver of an edge makes the edge's memory, a memfd without a name and with a sealed
// size, and passes its descriptor over the socket with the frame that grants the first
// credits. After a process is killed, the memory disappears with the last process that has
// mapped it. A mapping ends when the garbage collector finds neither the transport nor the
// edge reachable, because faces in it may be read until then.
//
// # What the peer can do
//
// A faulty peer may write any counts and lengths of faces at any time. Each is read once
// and checked before use; an impossible value is transport.ErrProtocol. The memory cannot
// shrink under the reader, and all its pages are allocated at the start.
//
// # Waiting
//
// A waiter polls for about 10 µs and then sleeps on a futex in the shared memory, until the
// other side wakes it. The end of the connection, a failure and the end of a context wake
// it too. A posted face is already in the receiver's memory, so Sync does not wait.
//
// The race detector ignores mapped memory, so it does not check the order of accesses to a
// slot, but it checks the code around them.
package shm
