package main

import (
	"io"
	"net"
	"slices"
	"sync"
	"time"
)

// networkTimes are measurements of a cluster's network.
type networkTimes struct {
	Trip   float64 // median time from the sending of a byte until it is read, in s, on an idle network
	Loaded float64 // the same time while every node sends data to the next one
	Bytes  float64 // bytes/s that the slowest node sends to the next one while all nodes send
}

// do runs f on the node's thread: sockets that it opens are the node's.
func (n *node) do(f func() error) error {
	done := make(chan error)
	n.work <- func() { done <- f() }
	return <-done
}

// connect returns both ends of a connection from n to the node to.
func (n *node) connect(to *node) (here, there net.Conn, err error) {
	var l net.Listener
	if err := to.do(func() (err error) { l, err = net.Listen("tcp", to.address()+":0"); return }); err != nil {
		return nil, nil, err
	}
	defer l.Close()
	if err := n.do(func() (err error) { here, err = net.Dial("tcp", l.Addr().String()); return }); err != nil {
		return nil, nil, err
	}
	there, err = l.Accept()
	return here, there, err
}

// measureNetwork measures the network for about the given time.
func (c *emulated) measureNetwork(lasts time.Duration) (p networkTimes, err error) {
	if p.Trip, err = c.trip(lasts / 4); err != nil {
		return p, err
	}
	stop := time.Now().Add(lasts)
	got, errs := make([]float64, len(c.nodes)), make([]error, len(c.nodes))
	var all sync.WaitGroup
	for k, n := range c.nodes {
		here, there, err := n.connect(c.nodes[(k+1)%len(c.nodes)])
		if err != nil {
			return p, err
		}
		all.Go(func() {
			for data := make([]byte, 16<<10); time.Now().Before(stop); {
				if _, errs[k] = here.Write(data); errs[k] != nil {
					break
				}
			}
			_ = here.Close()
		})
		all.Go(func() {
			buffer, total, began := make([]byte, 64<<10), 0, time.Now()
			for {
				n, err := there.Read(buffer)
				total += n
				if err != nil {
					break
				}
			}
			got[k] = float64(total) / time.Since(began).Seconds()
			_ = there.Close()
		})
	}
	time.Sleep(lasts / 4)
	p.Loaded, err = c.trip(lasts / 2)
	all.Wait()
	p.Bytes = slices.Min(got)
	for _, e := range errs {
		if err == nil {
			err = e
		}
	}
	return p, err
}

// trip returns half the median time, in s, in which a byte goes from the first node to the second
// and back. It measures for the time lasts.
func (c *emulated) trip(lasts time.Duration) (float64, error) {
	here, there, err := c.nodes[0].connect(c.nodes[1])
	if err != nil {
		return 0, err
	}
	defer here.Close()
	go func() {
		defer there.Close()
		for one := make([]byte, 1); ; {
			if _, err := io.ReadFull(there, one); err != nil {
				return
			}
			if _, err := there.Write(one); err != nil {
				return
			}
		}
	}()
	var trips []float64
	one := make([]byte, 1)
	for stop := time.Now().Add(lasts); time.Now().Before(stop); {
		began := time.Now()
		if _, err := here.Write(one); err != nil {
			return 0, err
		}
		if _, err := io.ReadFull(here, one); err != nil {
			return 0, err
		}
		trips = append(trips, time.Since(began).Seconds()/2)
	}
	slices.Sort(trips)
	return trips[len(trips)/2], nil
}
