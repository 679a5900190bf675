package core

import "time"

// Rating is what a user thinks of an answer.
type Rating string

// Ratings.
const (
	RatingUseful    Rating = "useful"
	RatingNotUseful Rating = "not_useful"
)

// Feedback is a user's rating of an answer; one a user and message.
type Feedback struct {
	MessageID string    `json:"message_id"`
	Rating    Rating    `json:"rating"`
	Comment   string    `json:"comment"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
}

// OpenQuestion is a question whose answer did not help: the documents held
// none, or somebody said so. It is open until somebody deals with it.
type OpenQuestion struct {
	MessageID string    `json:"message_id"` // of the answer
	SessionID string    `json:"session_id"`
	Question  string    `json:"question"`
	Answer    string    `json:"answer"`
	HitType   HitType   `json:"hit_type"`
	Ratings   int       `json:"not_useful"` // how many users said that it does not help
	Comments  []string  `json:"comments"`
	AskedAt   time.Time `json:"asked_at"`
}

// OpenKind says why a question is open.
type OpenKind string

// Kinds of open question; "" means all.
const (
	OpenUnanswered OpenKind = "unanswered"
	OpenRated      OpenKind = "not_useful"
)
