/** Where the store tells of what nobody awaits. pino's loggers fit. */
export interface StoreLogger {
  warn(fields: Record<string, unknown>, message: string): void;
  error(fields: Record<string, unknown>, message: string): void;
}

/** Says nothing. */
export const silentLogger: StoreLogger = {
  warn() {
    // Nobody listens.
  },
  error() {
    // Nobody listens.
  },
};
