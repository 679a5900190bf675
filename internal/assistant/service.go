package assistant

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"kaoju/internal/core"
)

// Store keeps assistants. Every call sees only the scope's tenant; anything
// else is core.CodeNotFound.
type Store interface {
	Assistant(ctx context.Context, scope core.Scope, id string) (core.Assistant, error)
	ListAssistants(ctx context.Context, scope core.Scope) ([]core.Assistant, error)
	CreateAssistant(ctx context.Context, scope core.Scope, a core.Assistant) error
	ReplaceAssistant(ctx context.Context, scope core.Scope, a core.Assistant) error
	DeleteAssistant(ctx context.Context, scope core.Scope, id string) error
}

// Options are what a Service is made of.
type Options struct {
	Store Store
	// Dir holds a file an assistant, ID.yaml or ID.toml; "" means none. They
	// belong to the default tenant, cannot be changed over the API, and stand
	// before those of the store.
	Dir string
	Now func() time.Time // nil means time.Now
}

// Service gives and keeps assistants. It is safe for concurrent use.
type Service struct {
	Options

	mu     sync.Mutex
	files  []core.Assistant // by id
	looked time.Time
	seen   map[string]stamp
}

// Open reads the files. One that is wrong is a core.CodeInvalid error with
// its line.
func Open(o Options) (*Service, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	s := &Service{Options: o}
	if o.Dir == "" {
		return s, nil
	}
	return s, s.Reload()
}

// Reload reads the files now. Where one is wrong, all stay as they were.
func (s *Service) Reload() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.Dir == "" {
		return nil
	}
	return s.reload()
}

func (s *Service) reload() error {
	s.looked = s.Now()
	seen, err := look(s.Dir)
	if err != nil {
		return err
	}
	s.seen = seen
	files, err := readDir(s.Dir, seen)
	if err != nil {
		return err
	}
	s.files = files
	return nil
}

// look gives the files of a folder with what tells their versions apart.
func look(dir string) (map[string]stamp, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, core.Wrap(err, core.CodeInvalid, "assistants.dir: %s is not a folder that can be read", dir)
	}
	seen := map[string]stamp{}
	for _, e := range entries {
		ext := strings.ToLower(filepath.Ext(e.Name()))
		if e.IsDir() || ext != ".yaml" && ext != ".yml" && ext != ".toml" {
			continue
		}
		if info, err := e.Info(); err == nil {
			seen[e.Name()] = stamp{info.ModTime(), info.Size()}
		}
	}
	return seen, nil
}

func readDir(dir string, names map[string]stamp) ([]core.Assistant, error) {
	var files []core.Assistant
	var all error
	for name := range names {
		a, err := readAssistant(filepath.Join(dir, name))
		if err != nil {
			all = errors.Join(all, err)
			continue
		}
		files = append(files, a)
	}
	slices.SortFunc(files, func(a, b core.Assistant) int { return strings.Compare(a.ID, b.ID) })
	for i := 1; i < len(files); i++ {
		if files[i].ID == files[i-1].ID {
			all = errors.Join(all, core.Errorf(core.CodeInvalid, "%s and %s both describe the assistant %q", files[i-1].Origin, files[i].Origin, files[i].ID))
		}
	}
	return files, all
}

func readAssistant(path string) (core.Assistant, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return core.Assistant{}, core.Wrap(err, core.CodeInvalid, "assistants.dir: %s cannot be read", path)
	}
	return Parse(path, raw)
}

// Parse reads the description of an assistant; the name of the file decides
// between YAML and TOML and gives the id where the file has none. What the
// file leaves out is as the default assistant has it.
func Parse(name string, raw []byte) (core.Assistant, error) {
	base := filepath.Base(name)
	a := core.Assistant{ID: strings.TrimSuffix(base, filepath.Ext(base)), MultiTurn: true, Citations: true}
	d := document{name, raw}
	if err := d.into(&a); err != nil {
		return core.Assistant{}, err
	}
	if a.Name == "" {
		a.Name = a.ID
	}
	a.TenantID, a.Origin = core.DefaultTenantID, base
	return a, check(d, a)
}

// current gives the assistants of files, read anew where they changed.
func (s *Service) current(scope core.Scope) []core.Assistant {
	if s.Dir == "" || scope.TenantID != core.DefaultTenantID {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.Now().Sub(s.looked) >= lookEvery {
		s.looked = s.Now()
		if seen, err := look(s.Dir); err == nil && !sameStamps(seen, s.seen) {
			if err := s.reload(); err != nil {
				slog.Error("the changed assistants are not taken", "error", err)
			}
		}
	}
	return s.files
}

func sameStamps(a, b map[string]stamp) bool {
	if len(a) != len(b) {
		return false
	}
	for name, v := range a {
		if b[name] != v {
			return false
		}
	}
	return true
}

// Assistant gives an assistant of the scope's tenant; "" means the default
// one, which always exists.
func (s *Service) Assistant(ctx context.Context, scope core.Scope, id string) (core.Assistant, error) {
	if id == "" {
		id = core.DefaultAssistantID
	}
	for _, a := range s.current(scope) {
		if a.ID == id {
			return a, nil
		}
	}
	a, err := s.Store.Assistant(ctx, scope, id)
	if core.CodeOf(err) == core.CodeNotFound && id == core.DefaultAssistantID && scope.TenantID != "" {
		return core.DefaultAssistant(scope.TenantID), nil
	}
	return a, err
}

// List gives all assistants of the scope's tenant, the default one first,
// then by id.
func (s *Service) List(ctx context.Context, scope core.Scope) ([]core.Assistant, error) {
	stored, err := s.Store.ListAssistants(ctx, scope)
	if err != nil {
		return nil, err
	}
	out := slices.Clone(s.current(scope))
	has := func(id string) bool {
		return slices.ContainsFunc(out, func(a core.Assistant) bool { return a.ID == id })
	}
	for _, a := range stored {
		if !has(a.ID) {
			out = append(out, a)
		}
	}
	if !has(core.DefaultAssistantID) && scope.TenantID != "" {
		out = append(out, core.DefaultAssistant(scope.TenantID))
	}
	slices.SortFunc(out, func(a, b core.Assistant) int {
		if (a.ID == core.DefaultAssistantID) != (b.ID == core.DefaultAssistantID) {
			if a.ID == core.DefaultAssistantID {
				return -1
			}
			return 1
		}
		return strings.Compare(a.ID, b.ID)
	})
	return out, nil
}

// Create stores a new assistant and gives it back.
func (s *Service) Create(ctx context.Context, scope core.Scope, a core.Assistant) (core.Assistant, error) {
	if a.ID == "" {
		a.ID = core.NewID()
	}
	if err := Check(a); err != nil {
		return core.Assistant{}, err
	}
	if s.ofFile(scope, a.ID) {
		return core.Assistant{}, core.Errorf(core.CodeConflict, "there is already an assistant %q, described by a file", a.ID)
	}
	if err := s.Store.CreateAssistant(ctx, scope, a); err != nil {
		return core.Assistant{}, err
	}
	return s.Store.Assistant(ctx, scope, a.ID)
}

// Replace stores all of an assistant anew and gives it back.
func (s *Service) Replace(ctx context.Context, scope core.Scope, a core.Assistant) (core.Assistant, error) {
	if err := Check(a); err != nil {
		return core.Assistant{}, err
	}
	if s.ofFile(scope, a.ID) {
		return core.Assistant{}, core.Errorf(core.CodeConflict, "the assistant %q is described by a file: change that", a.ID)
	}
	err := s.Store.ReplaceAssistant(ctx, scope, a)
	if core.CodeOf(err) == core.CodeNotFound && a.ID == core.DefaultAssistantID {
		err = s.Store.CreateAssistant(ctx, scope, a) // until now it was the built-in one
	}
	if err != nil {
		return core.Assistant{}, err
	}
	return s.Store.Assistant(ctx, scope, a.ID)
}

// Delete removes an assistant. The default one stays.
func (s *Service) Delete(ctx context.Context, scope core.Scope, id string) error {
	if id == core.DefaultAssistantID {
		return core.Errorf(core.CodeConflict, "the default assistant cannot be deleted")
	}
	if s.ofFile(scope, id) {
		return core.Errorf(core.CodeConflict, "the assistant %q is described by a file: remove that", id)
	}
	return s.Store.DeleteAssistant(ctx, scope, id)
}

func (s *Service) ofFile(scope core.Scope, id string) bool {
	return slices.ContainsFunc(s.current(scope), func(a core.Assistant) bool { return a.ID == id })
}
