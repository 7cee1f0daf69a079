/** A configuration that cannot be used: one line that names the value and says what it must be. Exit code 2. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}
