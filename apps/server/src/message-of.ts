/** Message of a caught value, for logs and reports. */
export const messageOf = (error: unknown) => (error instanceof Error ? error.message : 'unknown');
