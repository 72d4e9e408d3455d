using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [(name = "worker", worker = .worker), (name = "durable-object", worker = .durableObject)],
  sockets = [
    (name = "worker", address = "127.0.0.1:0", http = (), service = "worker"),
    (name = "durable-object", address = "127.0.0.1:0", http = (), service = "durable-object"),
  ],
);

const worker :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed ".built/example-worker.js")],
  compatibilityDate = "2026-11-01",
  bindings = [(name = "HOST", text = "localhost"), (name = "KEY", text = "a key of thirty-two characters, or more")],
);

const durableObject :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed ".built/example-durable-object.js")],
  compatibilityDate = "2026-11-01",
  durableObjectNamespaces = [(className = "Mcp", uniqueKey = "mcp")],
  durableObjectStorage = (inMemory = void),
  bindings = [
    (name = "HOST", text = "localhost"),
    (name = "KEY", text = "a key of thirty-two characters, or more"),
    (name = "MCP", durableObjectNamespace = "Mcp"),
  ],
);
