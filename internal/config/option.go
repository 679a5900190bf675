package config

import (
	"fmt"
	"math"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"kaoju/internal/core"
)

// Option is one row of the table.
type Option struct {
	Key     string // in the file, dotted: "limits.upload_bytes"
	Type    string // "text", "number", "bytes" …: as the reference page names it
	Default string
	Allowed string // what is allowed, as a phrase
	Doc     string
	Secret  bool

	set func(string) error
	get func() string
}

// Env is the option's environment variable.
func (o Option) Env() string {
	return "KAOJU_" + strings.ToUpper(strings.ReplaceAll(o.Key, ".", "_"))
}

// Flag is the option's command line flag, without the dashes.
func (o Option) Flag() string { return strings.NewReplacer(".", "-", "_", "-").Replace(o.Key) }

// Value is the effective value, masked where the option is a secret.
func (o Option) Value() string {
	v := o.get()
	if o.Secret && v != "" {
		return "********"
	}
	return v
}

// apply parses and checks a value that came from origin.
func (o Option) apply(value, origin string) error {
	if err := o.set(value); err != nil {
		shown := strconv.Quote(value)
		if o.Secret {
			shown = "(secret)"
		}
		return core.Errorf(core.CodeInvalid, "%s: %s = %s is not allowed (%s); allowed: %s", origin, o.Key, shown, err, o.Allowed)
	}
	return nil
}

func textOption(key, doc, allowed string, field *string, check func(string) error) Option {
	return Option{
		Key: key, Type: "text", Default: *field, Allowed: allowed, Doc: doc,
		set: func(s string) error {
			if check != nil {
				if err := check(s); err != nil {
					return err
				}
			}
			*field = s
			return nil
		},
		get: func() string { return *field },
	}
}

func listOption(key, doc, allowed string, field *[]string) Option {
	return Option{
		Key: key, Type: "list", Default: strings.Join(*field, ","), Allowed: allowed, Doc: doc,
		set: func(s string) error {
			*field = nil
			for part := range strings.SplitSeq(s, ",") {
				if part = strings.TrimSpace(part); part != "" {
					*field = append(*field, part)
				}
			}
			return nil
		},
		get: func() string { return strings.Join(*field, ",") },
	}
}

func intOption(key, doc string, field *int, low, high int) Option {
	return Option{
		Key: key, Type: "number", Default: strconv.Itoa(*field),
		Allowed: fmt.Sprintf("a whole number from %d to %d", low, high), Doc: doc,
		set: func(s string) error {
			n, err := strconv.Atoi(s)
			if err != nil {
				return fmt.Errorf("not a whole number")
			}
			if n < low || n > high {
				return fmt.Errorf("out of range")
			}
			*field = n
			return nil
		},
		get: func() string { return strconv.Itoa(*field) },
	}
}

func shareOption(key, doc string, field *float64, high float64) Option {
	return Option{
		Key: key, Type: "fraction", Default: formatFloat(*field),
		Allowed: fmt.Sprintf("a number from 0 to %s", formatFloat(high)), Doc: doc,
		set: func(s string) error {
			f, err := strconv.ParseFloat(s, 64)
			if err != nil || math.IsNaN(f) {
				return fmt.Errorf("not a number")
			}
			if f < 0 || f > high {
				return fmt.Errorf("out of range")
			}
			*field = f
			return nil
		},
		get: func() string { return formatFloat(*field) },
	}
}

// longest is the largest duration that an option takes.
const longest = time.Hour

func durationOption(key, doc string, field *time.Duration, low time.Duration) Option {
	return Option{
		Key: key, Type: "duration", Default: field.String(),
		Allowed: fmt.Sprintf("a duration from %s to %s, such as 30s or 5m", low, longest), Doc: doc,
		set: func(s string) error {
			d, err := time.ParseDuration(s)
			if err != nil {
				return fmt.Errorf("not a duration")
			}
			if d < low || d > longest {
				return fmt.Errorf("out of range")
			}
			*field = d
			return nil
		},
		get: func() string { return field.String() },
	}
}

func bytesOption(key, doc string, field *int64, low, high int64) Option {
	return Option{
		Key: key, Type: "bytes", Default: formatBytes(*field),
		Allowed: fmt.Sprintf("a size from %s to %s, such as 100MiB", formatBytes(low), formatBytes(high)), Doc: doc,
		set: func(s string) error {
			n, err := parseBytes(s)
			if err != nil {
				return err
			}
			if n < low || n > high {
				return fmt.Errorf("out of range")
			}
			*field = n
			return nil
		},
		get: func() string { return formatBytes(*field) },
	}
}

func oneOf(words ...string) (string, func(string) error) {
	allowed := strings.Join(words, ", ")
	return allowed, func(s string) error {
		if !slices.Contains(words, s) {
			return fmt.Errorf("not one of them")
		}
		return nil
	}
}

func checkListen(s string) error {
	_, port, err := net.SplitHostPort(s)
	if err != nil {
		return fmt.Errorf("not HOST:PORT")
	}
	if n, err := strconv.Atoi(port); err != nil || n < 0 || n > 65535 {
		return fmt.Errorf("no such port")
	}
	return nil
}

func checkURL(s string) error {
	if s == "" {
		return nil
	}
	u, err := url.Parse(s)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return fmt.Errorf("not such an address")
	}
	return nil
}

func notEmpty(s string) error {
	if strings.TrimSpace(s) == "" {
		return fmt.Errorf("empty")
	}
	return nil
}

func checkKey(s string) error {
	if s != "" && len(s) < 16 {
		return fmt.Errorf("too short to be safe")
	}
	return nil
}

func checkRedis(s string) error {
	scheme, rest, ok := strings.Cut(s, "://")
	if s != "" && (!ok || rest == "" || !slices.Contains([]string{"redis", "rediss", "unix"}, scheme)) {
		return fmt.Errorf("no such address")
	}
	return nil
}

func formatFloat(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }

// byteUnits are the size suffixes, largest first.
var byteUnits = []struct {
	suffix string
	size   int64
}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"B", 1}}

func formatBytes(n int64) string {
	for _, u := range byteUnits {
		if n >= u.size && n%u.size == 0 {
			return strconv.FormatInt(n/u.size, 10) + u.suffix
		}
	}
	return strconv.FormatInt(n, 10)
}

func parseBytes(s string) (int64, error) {
	number, unit := strings.TrimSpace(s), int64(1)
	for _, u := range byteUnits {
		if rest, ok := strings.CutSuffix(number, u.suffix); ok {
			number, unit = strings.TrimSpace(rest), u.size
			break
		}
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n < 0 || n > math.MaxInt64/unit {
		return 0, fmt.Errorf("not a size")
	}
	return n * unit, nil
}
