package main

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"kaoju/internal/text/lexicon"
)

// sources is what the raw files say, in simplified characters throughout.
type sources struct {
	simple map[rune]rune      // traditional → simplified
	words  map[string]float64 // word → frequency
	total  float64
	counts map[rune]float64 // weighted occurrences, to rank the characters
	model  markov
}

// markov holds natural log probabilities in the order of lexicon's states.
type markov struct {
	start [4]float64
	trans [4][4]float64
	emit  [4]map[rune]float64
}

func readSources(characters, dict, model string) (*sources, error) {
	s := &sources{words: map[string]float64{}, counts: map[rune]float64{}}
	var err error
	if s.simple, err = readCharacters(characters); err != nil {
		return nil, err
	}
	if err := eachLine(dict, s.addWord); err != nil {
		return nil, err
	}
	return s, s.readModel(model)
}

// readCharacters takes the first, most usual, simplified form of each
// character and follows chains to their end, so that the mapping is idempotent.
func readCharacters(path string) (map[rune]rune, error) {
	simple := map[rune]rune{}
	err := eachLine(path, func(line string) error {
		from, to, ok := strings.Cut(line, "\t")
		if !ok {
			return fmt.Errorf("a line without a tab: %q", line)
		}
		a, _ := utf8.DecodeRuneInString(from)
		b, _ := utf8.DecodeRuneInString(to)
		if a != b {
			simple[a] = b
		}
		return nil
	})
	for a, b := range simple {
		for next, ok := simple[b]; ok; next, ok = simple[b] {
			b = next
		}
		simple[a] = b
	}
	return simple, err
}

func (s *sources) simplify(word string) string {
	return strings.Map(func(r rune) rune {
		if t, ok := s.simple[r]; ok {
			return t
		}
		return r
	}, word)
}

// addWord reads "word frequency tag". Words with anything but characters of
// the fold table are left out: Latin letters and digits are found by rule.
func (s *sources) addWord(line string) error {
	fields := strings.Fields(line)
	if len(fields) < 2 {
		return fmt.Errorf("not a dictionary line: %q", line)
	}
	freq, err := strconv.ParseFloat(fields[len(fields)-2], 64)
	if err != nil {
		return fmt.Errorf("frequency in %q: %w", line, err)
	}
	s.total += freq
	word := s.simplify(fields[0])
	if strings.ContainsFunc(word, func(r rune) bool { return !inTable(r) }) {
		return nil
	}
	s.words[word] = max(s.words[word], freq)
	for _, r := range word {
		s.counts[r] += freq + 1
	}
	return nil
}

func inTable(r rune) bool {
	return r >= lexicon.First && r <= lexicon.Last && unicode.Is(unicode.Han, r)
}

// readModel reads cppjieba's file: four starts, four rows of transitions, four
// lines of emissions, with comments between.
func (s *sources) readModel(path string) error {
	row := 0
	return eachLine(path, func(line string) error {
		if strings.HasPrefix(line, "#") {
			return nil
		}
		defer func() { row++ }()
		switch {
		case row == 0:
			return parseRow(line, &s.model.start)
		case row <= 4:
			return parseRow(line, &s.model.trans[row-1])
		default:
			return s.parseEmissions(line, row-5)
		}
	})
}

func parseRow(line string, row *[4]float64) error {
	fields := strings.Fields(line)
	if len(fields) != len(row) {
		return fmt.Errorf("want %d numbers: %q", len(row), line)
	}
	for i, f := range fields {
		v, err := strconv.ParseFloat(f, 64)
		if err != nil {
			return fmt.Errorf("read the model: %w", err)
		}
		row[i] = v
	}
	return nil
}

func (s *sources) parseEmissions(line string, state int) error {
	if state >= len(s.model.emit) {
		return fmt.Errorf("more than %d lines of emissions", len(s.model.emit))
	}
	emit := map[rune]float64{}
	for _, item := range strings.Split(line, ",") {
		key, value, _ := strings.Cut(item, ":")
		v, err := strconv.ParseFloat(value, 64)
		if err != nil {
			return fmt.Errorf("emission %q: %w", item, err)
		}
		r, _ := utf8.DecodeRuneInString(s.simplify(key))
		if old, ok := emit[r]; inTable(r) && (!ok || v > old) {
			emit[r] = v
			s.counts[r] += math.Exp(v)
		}
	}
	s.model.emit[state] = emit
	return nil
}

func eachLine(path string, do func(string) error) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("open the source: %w", err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if line == "" {
			continue
		}
		if err := do(line); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return lines.Err()
}
