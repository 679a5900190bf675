// Package assistant holds who answers and by which rules: the assistants of
// the store and those that files describe, and the file of rules that routes
// questions before anything is searched.
//
//	book, err := assistant.OpenRules("")               // "" means the rules in the binary
//	service, err := assistant.Open(assistant.Options{Store: db, Dir: "/etc/kaoju/assistants"})
//	a, err := service.Assistant(ctx, scope, "hr-it")   // "" means the default one
//	book.Rules().Category("报销超过5000需要谁审批")        // "pricing"
//
// Files are YAML or TOML. What is wrong with one is an error that names its
// line. A file that was changed is read again by the next question, and one
// that is wrong then leaves what was read before in force.
package assistant
