package registry

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"kaoju/internal/core"
)

// Sealer seals secrets with AES-256-GCM under a key that stands in a file of
// its own, so that a copy of the database alone gives none away. A sealed text
// names its key: "v1.KEY.NONCE+TEXT". It is safe for concurrent use.
type Sealer struct {
	path string

	mu   sync.Mutex
	keys []sealKey // the newest first: it seals, all open
}

type sealKey struct {
	id     string
	secret []byte
}

const sealKeySize = 32

// OpenSealer reads the key file, and makes it with a key where it is not
// there. Only its owner may read it.
func OpenSealer(path string) (*Sealer, error) {
	s := &Sealer{path: path}
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, s.add()
	}
	if err != nil {
		return nil, core.Wrap(err, core.CodeInternal, "the file with the key of secrets, %s, cannot be read", path)
	}
	for line := range strings.Lines(string(raw)) {
		id, secret, _ := strings.Cut(strings.TrimSpace(line), " ")
		if id == "" || strings.HasPrefix(id, "#") {
			continue
		}
		key, err := base64.RawStdEncoding.DecodeString(secret)
		if err != nil || len(key) != sealKeySize {
			return nil, core.Errorf(core.CodeCorrupt, "the file with the key of secrets, %s, is damaged; bring it back from a backup, or move it away and enter the keys of models again", path)
		}
		s.keys = append(s.keys, sealKey{id, key})
	}
	if len(s.keys) == 0 {
		return s, s.add()
	}
	return s, nil
}

// add makes a key that seals from now on, and stores it before anything is
// sealed with it.
func (s *Sealer) add() error {
	secret, id := make([]byte, sealKeySize), make([]byte, 6)
	_, _ = rand.Read(secret) // never fails
	_, _ = rand.Read(id)
	keys := append([]sealKey{{base64.RawURLEncoding.EncodeToString(id), secret}}, s.keys...)
	if err := s.write(keys); err != nil {
		return err
	}
	s.keys = keys
	return nil
}

// write replaces the file in one step: a crash leaves the old or the new one.
func (s *Sealer) write(keys []sealKey) error {
	var text strings.Builder
	text.WriteString("# Opens the secrets in the database beside it. Keep a backup apart from that of the database.\n")
	for _, k := range keys {
		fmt.Fprintf(&text, "%s %s\n", k.id, base64.RawStdEncoding.EncodeToString(k.secret))
	}
	f, err := os.CreateTemp(filepath.Dir(s.path), ".key-*") // only its owner may read it
	if err != nil {
		return core.Wrap(err, core.CodeInternal, "the key of secrets cannot be written to %s", s.path)
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(text.String())
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), s.path)
	}
	if err != nil {
		return core.Wrap(err, core.CodeInternal, "the key of secrets cannot be written to %s", s.path)
	}
	return nil
}

// Seal seals a text for one owner: for another it does not open.
func (s *Sealer) Seal(owner, text string) (string, error) {
	s.mu.Lock()
	k := s.keys[0]
	s.mu.Unlock()
	box, err := k.box()
	if err != nil {
		return "", err
	}
	nonce := make([]byte, box.NonceSize())
	_, _ = rand.Read(nonce)
	sealed := box.Seal(nonce, nonce, []byte(text), []byte(owner))
	return "v1." + k.id + "." + base64.RawStdEncoding.EncodeToString(sealed), nil
}

// Open opens what Seal gave.
func (s *Sealer) Open(owner, sealed string) (string, error) {
	parts := strings.SplitN(sealed, ".", 3)
	if len(parts) != 3 || parts[0] != "v1" {
		return "", core.Errorf(core.CodeCorrupt, "a sealed secret of %s is damaged; enter its key again", owner)
	}
	k, ok := s.key(parts[1])
	if !ok {
		return "", core.Errorf(core.CodeCorrupt, "the secrets of %s were sealed with a key that %s does not hold; bring that file back, or enter the key of the model again", owner, s.path)
	}
	raw, err := base64.RawStdEncoding.DecodeString(parts[2])
	box, boxErr := k.box()
	if err == nil && boxErr == nil && len(raw) > box.NonceSize() {
		if text, err := box.Open(nil, raw[:box.NonceSize()], raw[box.NonceSize():], []byte(owner)); err == nil {
			return string(text), nil
		}
	}
	return "", core.Errorf(core.CodeCorrupt, "a sealed secret of %s is damaged; enter its key again", owner)
}

func (s *Sealer) key(id string) (sealKey, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range s.keys {
		if k.id == id {
			return k, true
		}
	}
	return sealKey{}, false
}

// Rotate makes a new key, has everything sealed again with it, and forgets the
// old ones once that is done. Where reseal fails all keys stay.
func (s *Sealer) Rotate(reseal func() error) error {
	s.mu.Lock()
	err := s.add()
	s.mu.Unlock()
	if err != nil {
		return err
	}
	if err := reseal(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.write(s.keys[:1]); err != nil {
		return err
	}
	s.keys = s.keys[:1]
	return nil
}

func (k sealKey) box() (cipher.AEAD, error) {
	block, err := aes.NewCipher(k.secret)
	if err != nil {
		return nil, fmt.Errorf("use the key of secrets: %w", err)
	}
	return cipher.NewGCM(block)
}
