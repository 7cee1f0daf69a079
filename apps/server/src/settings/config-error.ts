/** The configuration is invalid. The message is one line that names the setting and the rule. Exit code 2. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/**
 * The server cannot start because a program that it needs is unavailable. The settings may be right. Exit
 * code 1.
 */
export class StartError extends Error {
  override readonly name = 'StartError';
}
