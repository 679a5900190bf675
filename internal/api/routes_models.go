package api

import "kaoju/internal/api/native"

// models lists the routes about the models that the server can ask.
func (rt *router) models(n *native.Handlers) {
	const model = v1 + "/models/{id}"
	route(rt, "GET "+v1+"/models", "The models that the server can ask, secrets masked", n.ListModels)
	route(rt, "POST "+v1+"/models", "Register a model", n.CreateModel, created)
	route(rt, "GET "+model, "One model, secrets masked", n.OneModel)
	route(rt, "PATCH "+model, "Change a model; the next question is asked by it", n.ChangeModel)
	route(rt, "DELETE "+model, "Take a model away", n.DeleteModel)
	route(rt, "POST "+model+"/test", "Ask a model for something small, and say what is wrong with it", n.TestModel)
	route(rt, "GET "+model+"/names", "What the endpoint of a model lists", n.ListEndpointModels)
	route(rt, "POST "+v1+"/models/rotate-key", "Seal the keys of all models with a new key", n.RotateModelKey)
}
