/** Minimal cost of the passwords that tests hash, and of the keys that they derive from wallet passwords. */
export const cheapPasswords = { memory: 64, passes: 1, parallelism: 1 };
