package fault

import (
	"net/http"

	"kaoju/internal/core"
)

// Status gives the HTTP status of a code. It is the only place that knows.
func Status(c core.Code) int {
	switch c {
	case core.CodeInvalid:
		return http.StatusBadRequest
	case core.CodeUnauthorized:
		return http.StatusUnauthorized
	case core.CodeForbidden:
		return http.StatusForbidden
	case core.CodeNotFound:
		return http.StatusNotFound
	case core.CodeConflict, core.CodeEdited:
		return http.StatusConflict
	case core.CodeTooLarge:
		return http.StatusRequestEntityTooLarge
	case core.CodeUnsupportedFormat:
		return http.StatusUnsupportedMediaType
	case core.CodeCorrupt, core.CodeEncrypted, core.CodeEmpty, core.CodeNoTextLayer, core.CodeGarbled:
		return http.StatusUnprocessableEntity
	case core.CodeBusy, core.CodeUnavailable, core.CodeCanceled, core.CodeInterrupted:
		return http.StatusServiceUnavailable
	case core.CodeTimeout:
		return http.StatusGatewayTimeout
	case core.CodeDiskFull:
		return http.StatusInsufficientStorage
	default:
		return http.StatusInternalServerError
	}
}
