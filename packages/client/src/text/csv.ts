/** Spreadsheets execute cells that start with these characters as formulas. */
const formula = /^[=+\-@\t\r]/;

/** Returns a CSV file (RFC 4180) with a header line. */
export function csvOf(header: readonly string[], rows: readonly (readonly string[])[]): string {
  return [header, ...rows].map((row) => `${row.map(cellOf).join(',')}\r\n`).join('');
}

function cellOf(text: string): string {
  // Negative numbers are not formulas.
  const safe = formula.test(text) && !/^-[\d.]+$/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
