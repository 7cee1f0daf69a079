/** The configuration is invalid. The message is one line with the setting and the rule. Exit code 2. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}
