package core

import "time"

// JobState is where a job stands.
type JobState string

// States of a job.
const (
	JobQueued  JobState = "queued"
	JobRunning JobState = "running"
	JobDone    JobState = "done"
	JobFailed  JobState = "failed"
)

// Step is a part of an ingestion job that is not done twice: a job that was
// killed goes on at the step it was in.
type Step string

// Steps of an ingestion job, in order.
const (
	StepParse   Step = "parse"
	StepChunk   Step = "chunk"
	StepEmbed   Step = "embed"
	StepPublish Step = "publish"
)

// Job is durable work on one document.
type Job struct {
	ID         string    `json:"id"`
	DocumentID string    `json:"document_id"`
	BaseID     string    `json:"knowledge_base_id"`
	State      JobState  `json:"state"`
	Step       Step      `json:"step"`
	Attempts   int       `json:"attempts"`
	ErrorCode  Code      `json:"error_code,omitempty"`
	Error      string    `json:"error,omitempty"`
	CreatedAt  time.Time `json:"created_at"`
	UpdatedAt  time.Time `json:"updated_at"`
}
