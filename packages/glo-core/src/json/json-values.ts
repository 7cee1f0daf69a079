/** A JSON value. */
export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** A JSON object. Its members are JSON values; none is undefined. */
export type JsonObject = { [name: string]: Json };
