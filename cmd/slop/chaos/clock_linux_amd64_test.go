package chaos

import (
	"encoding/binary"
	"errors"
	"syscall"
	"time"
	"unsafe"
)

// vdsoClock is the function of the kernel that Go calls for the time.
//
//go:linkname vdsoClock runtime.vdsoClockgettimeSym
var vdsoClock uintptr

// clockBack sets the clock of this process back by whole seconds: time.Now reads
// it so from now on. Timers go by another clock, as they do when a person sets
// it. Files, scripts and other processes keep theirs.
func clockBack(by time.Duration) error {
	if vdsoClock == 0 {
		return errors.New("this kernel has no clock that a process can replace")
	}
	if by == 0 {
		return nil
	}
	// A function (clock, *timespec) that calls the kernel's, and takes seconds
	// from the answer where clock is 0, CLOCK_REALTIME.
	code := []byte{
		0x57,                   // push rdi
		0x56,                   // push rsi
		0x48, 0x83, 0xec, 0x08, // sub rsp, 8
		0x48, 0xb8, // mov rax, the kernel's function
	}
	code = binary.LittleEndian.AppendUint64(code, uint64(vdsoClock))
	code = append(code,
		0xff, 0xd0, // call rax
		0x48, 0x83, 0xc4, 0x08, // add rsp, 8
		0x5e,       // pop rsi
		0x5f,       // pop rdi
		0x85, 0xff, // test edi, edi
		0x75, 0x0d, // jnz to ret
		0x48, 0xb9, // mov rcx, the seconds
	)
	code = binary.LittleEndian.AppendUint64(code, uint64(by/time.Second))
	code = append(code,
		0x48, 0x29, 0x0e, // sub [rsi], rcx
		0xc3, // ret
	)
	page, err := syscall.Mmap(-1, 0, syscall.Getpagesize(), syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		return err
	}
	copy(page, code)
	if err := syscall.Mprotect(page, syscall.PROT_READ|syscall.PROT_EXEC); err != nil {
		return err
	}
	vdsoClock = uintptr(unsafe.Pointer(&page[0]))
	return nil
}
