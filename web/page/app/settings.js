// What a browser remembers of its user: language, theme, answers to puzzles. It may refuse to.

export function remembered(key) {
  try {
    return localStorage.getItem(`indim.${key}`) ?? "";
  } catch {
    return "";
  }
}

export function remember(key, value) {
  try {
    localStorage.setItem(`indim.${key}`, value);
  } catch {
    // Nothing is remembered then, and the page works all the same.
  }
}
