/** Receives failures of background work. A logger of pino can be used. */
export interface StoreLogger {
  warn(fields: Record<string, unknown>, message: string): void;
  error(fields: Record<string, unknown>, message: string): void;
}

/** Discards all messages. */
export const silentLogger: StoreLogger = {
  warn: () => undefined,
  error: () => undefined,
};
