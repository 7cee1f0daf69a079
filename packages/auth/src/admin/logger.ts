/** Where the administration tells of what nobody awaits. pino's loggers fit. */
export interface AdminLogger {
  info(fields: Record<string, unknown>, message: string): void;
  error(fields: Record<string, unknown>, message: string): void;
}
