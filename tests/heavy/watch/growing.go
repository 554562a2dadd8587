// SPDX-License-Identifier: GPL-2.0-or-later

// growing: 20 goroutines call deep(2000), whose stack has to be made larger, and is copied, several
// times meanwhile: each time deep begins anew. It prints how often it was called.
package main

import "fmt"

const (
	goroutines = 20
	depth      = 2000
)

//go:noinline
func deep(left int) int {
	var room [128]int
	room[left%128] = left
	if left == 0 {
		return 0
	}
	return deep(left-1) + room[(left+1)%128]
}

func main() {
	for i := 0; i < goroutines; i++ {
		done := make(chan int)
		go func() { done <- deep(depth) }()
		<-done
	}
	fmt.Println(goroutines * (depth + 1))
}
