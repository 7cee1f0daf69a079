/** The logo; a copy of apps/console/public/mark.svg. */
export const mark =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><rect width="64" height="64" rx="14" fill="#0c3b2e"/><g fill="none" stroke-linecap="round" stroke-width="5.5"><path stroke="#f4f1e8" d="M17 15v34M27 15v34M37 15v34M47 15v34"/><path stroke="#0c3b2e" stroke-width="11" d="M10 43 54 21"/><path stroke="#f0b24a" d="M10 43 54 21"/></g></svg>';
