/** Receives failures of background work. pino's loggers fit. */
export interface StoreLogger {
  warn(fields: Record<string, unknown>, message: string): void;
  error(fields: Record<string, unknown>, message: string): void;
}

/** Discards all messages. */
export const silentLogger: StoreLogger = {
  warn: () => undefined,
  error: () => undefined,
};
