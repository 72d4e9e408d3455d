using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [(name = "main", worker = .worker)],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);

const worker :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed ".built/worker.js")],
  compatibilityDate = "2026-11-01",
  durableObjectNamespaces = [(className = "Mcp", uniqueKey = "mcp")],
  durableObjectStorage = (inMemory = void),
  bindings = [(name = "MCP", durableObjectNamespace = "Mcp")],
);
