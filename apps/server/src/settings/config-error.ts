/** The configuration is invalid. The message is one line with the setting and the rule. Exit code 2. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** The server cannot start, although its settings may be right: a program that it needs is unavailable. Exit code 1. */
export class StartError extends Error {
  override readonly name = 'StartError';
}
