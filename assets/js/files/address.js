/** Where the server keeps our scripts, styles and lessons. */

/** The address of our files: this script's own without its folder, bundled or not. */
export const FILES = import.meta.url.replace(/\/(?:bundle|js)\/(?!.*\/(?:bundle|js)\/).*$/, "");
