package openai

import (
	"log/slog"
	"net/url"
	"slices"
	"strings"
)

// Secret is a text that no log and no marshalled form shows. string(s) gives
// the text itself.
type Secret string

const mask = "***"

// String gives a mask, or "" for no secret.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return mask
}

// GoString gives what String gives.
func (s Secret) GoString() string { return s.String() }

// LogValue gives what String gives.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// MarshalText gives what String gives, so that JSON and YAML are masked too.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText takes the text itself.
func (s *Secret) UnmarshalText(b []byte) error { *s = Secret(b); return nil }

// minSecret is the shortest text that is masked inside other text: masking
// shorter ones would hide words and no secrets.
const minSecret = 6

// maskerOf gives a replacer that masks every secret of the options: the key,
// the values of extra headers, and what hides in the address.
func maskerOf(o Options) *strings.Replacer {
	secrets := []string{string(o.APIKey)}
	for _, v := range o.Headers {
		secrets = append(secrets, string(v))
		if _, rest, found := strings.Cut(string(v), " "); found {
			secrets = append(secrets, rest) // of "Bearer …"
		}
	}
	if u, err := url.Parse(o.BaseURL); err == nil {
		password, _ := u.User.Password()
		secrets = append(secrets, u.User.Username(), password)
		for _, values := range u.Query() {
			secrets = append(secrets, values...)
		}
	}
	// A secret that contains another must go first.
	slices.SortFunc(secrets, func(a, b string) int { return len(b) - len(a) })
	var pairs []string
	for _, s := range secrets {
		for _, form := range []string{s, url.QueryEscape(s)} {
			if len(s) >= minSecret {
				pairs = append(pairs, form, mask)
			}
		}
	}
	return strings.NewReplacer(pairs...)
}
