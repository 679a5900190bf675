package openai

import (
	"net/url"
	"regexp"
	"strings"
)

// versionSegment is a part of a path that names a version of an interface, as
// in /v1, /api/paas/v4 or /v1beta/openai.
var versionSegment = regexp.MustCompile(`^v\d+([a-z]+\d*)?$`)

// callPaths are ends that users copy into the base address by mistake.
var callPaths = []string{"/chat/completions", "/completions", "/embeddings", "/rerank", "/models"}

// address gives the URL of a call such as "/chat/completions". A base without
// a version gets /v1; a query of the base is kept. replaced is a path that
// stands below the base as it is given.
func address(base, call, replaced string) (string, error) {
	u, err := url.Parse(strings.TrimSpace(base))
	if err != nil {
		return "", err
	}
	u.Fragment = ""
	path := strings.TrimRight(u.Path, "/")
	if replaced != "" {
		u.Path = path + "/" + strings.TrimLeft(replaced, "/")
		return u.String(), nil
	}
	for _, end := range callPaths {
		path = strings.TrimSuffix(path, end)
	}
	if !hasVersion(path) {
		path += "/v1"
	}
	u.Path = path + call
	return u.String(), nil
}

func hasVersion(path string) bool {
	for _, segment := range strings.Split(path, "/") {
		if versionSegment.MatchString(segment) {
			return true
		}
	}
	return false
}
