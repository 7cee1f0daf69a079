/** Two ledgers that share one line. */
export const mark =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="none" stroke="#2f7d6b" stroke-width="2.5" stroke-linecap="round"><path d="M4 6h9M4 12h16M11 18h9"/></svg>';
