package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"kaoju/internal/core"
)

const (
	lockFile   = "kaoju.lock"
	serverFile = "server.json"
)

// FolderLock is the right to write to a data folder. The operating system
// holds it for the process, so that it ends with the process however that
// ends.
type FolderLock struct {
	dir  string
	file *os.File
}

// Lock takes the data folder dir, and makes it where it is missing. Where
// another process has it, the error is a core.CodeBusy that names both.
func Lock(dir string) (*FolderLock, error) {
	if err := makeFolder(dir); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, lockFile)
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, unusable(dir, err)
	}
	if err := flock(f, syscall.LOCK_EX); err != nil {
		defer f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, core.Errorf(core.CodeBusy, "the data folder %s is in use by process %s", dir, holder(path))
		}
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	l := &FolderLock{dir: dir, file: f}
	if err := l.claim(); err != nil {
		_ = l.Release()
		return nil, err
	}
	return l, nil
}

// makeFolder makes a folder that only its owner can look into.
func makeFolder(path string) error {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return unusable(path, err)
	}
	return nil
}

// unusable says why the operating system refuses a folder, which is for the
// person who named it to know.
func unusable(path string, err error) error {
	cause := err
	var p *fs.PathError
	if errors.As(err, &p) {
		cause = p.Err
	}
	code := core.CodeInvalid
	if errors.Is(err, syscall.ENOSPC) {
		code = core.CodeDiskFull
	}
	return core.Wrap(err, code, "the data folder %s cannot be used: %s", path, cause)
}

// claim writes our process id and drops what a killed server left behind.
func (l *FolderLock) claim() error {
	if err := os.Remove(filepath.Join(l.dir, serverFile)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("remove the old %s: %w", serverFile, err)
	}
	if err := l.file.Truncate(0); err != nil {
		return fmt.Errorf("write %s: %w", l.file.Name(), err)
	}
	if _, err := l.file.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0); err != nil {
		return fmt.Errorf("write %s: %w", l.file.Name(), err)
	}
	return nil
}

// server is what a server says about itself in its data folder.
type server struct {
	PID int    `json:"pid"`
	URL string `json:"url"`
}

// Announce writes where the server that holds the lock can be reached, for
// ReadServer in other processes.
func (l *FolderLock) Announce(url string) error {
	b, err := json.Marshal(server{PID: os.Getpid(), URL: url})
	if err != nil {
		return fmt.Errorf("announce %s: %w", url, err)
	}
	path := filepath.Join(l.dir, serverFile)
	if err := os.WriteFile(path+".new", b, 0o644); err != nil {
		return fmt.Errorf("announce %s: %w", url, err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		return fmt.Errorf("announce %s: %w", url, err)
	}
	return nil
}

// Release gives the folder back and withdraws the announcement.
func (l *FolderLock) Release() error {
	_ = os.Remove(filepath.Join(l.dir, serverFile))
	if err := l.file.Close(); err != nil {
		return fmt.Errorf("release %s: %w", l.dir, err)
	}
	return nil
}

// ReadServer gives the address of the server that owns the data folder now.
// What a killed server left behind does not count: the lock decides.
func ReadServer(dir string) (url string, ok bool) {
	b, err := os.ReadFile(filepath.Join(dir, serverFile))
	if err != nil {
		return "", false
	}
	var s server
	if json.Unmarshal(b, &s) != nil || s.URL == "" || !alive(s.PID) {
		return "", false
	}
	return s.URL, held(filepath.Join(dir, lockFile))
}

// held reports whether any process has the lock. It asks by taking it shared
// for a moment, and only after a live process was announced, so that it does
// not stand in the way of a server that starts.
func held(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	return errors.Is(flock(f, syscall.LOCK_SH), syscall.EWOULDBLOCK)
}

func flock(f *os.File, how int) error {
	for {
		err := syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

// alive reports whether a process with this id exists, ours or another's.
func alive(pid int) bool {
	if pid <= 0 {
		return false
	}
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}

func holder(path string) string {
	b, err := os.ReadFile(path)
	if pid := strings.TrimSpace(string(b)); err == nil && pid != "" {
		return pid
	}
	return "(unknown)"
}
