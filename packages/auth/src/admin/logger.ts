/** Log for background work. A pino logger fits. */
export interface AdminLogger {
  info(fields: Record<string, unknown>, message: string): void;
  error(fields: Record<string, unknown>, message: string): void;
}
