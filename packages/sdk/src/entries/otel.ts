/** OpenTelemetry, for servers and clients. Needs `@opentelemetry/api`. */
export { telemetry } from '../telemetry/telemetry.ts';
export type { Telemetry, TelemetryOptions } from '../telemetry/telemetry.ts';
