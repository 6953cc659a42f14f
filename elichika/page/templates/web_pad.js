const MOST_SIDE = 800;

/** The pixels of an input: drawn with a pointer or with keys, or those of a file. */
class Pad {
  constructor(one, field) {
    Object.assign(this, { one, field, image: one.image, at: null });
    this.dynamic = ["height", "width"].filter((name) => typeof one.shape[one.image[name]] !== "number");
    this.batch = one.image.batch;
    this.more = [];
    this.canvas = field.querySelector(".pixels");
    this.over = field.querySelector(".over");
    for (const name of ["height", "width"]) {
      field.querySelector(`.${name}`)?.addEventListener("change", () => this.clear());
    }
    field.querySelector(".clear").addEventListener("click", () => this.clear());
    field.querySelector(".pen").addEventListener("change", () => this.clear());
    field.querySelector(".range").addEventListener("change", () => this.changed());
    field.querySelector(".file").addEventListener("change", (event) => this.load([...event.target.files]));
    this.canvas.addEventListener("pointerdown", (event) => {
      if (event.isTrusted) this.canvas.setPointerCapture(event.pointerId);
      this.at = this.place(event);
      this.stroke(this.at, this.at);
    });
    this.canvas.addEventListener("pointermove", (event) => {
      if (!event.buttons || !this.at) return;
      const next = this.place(event);
      this.stroke(this.at, next);
      this.at = next;
    });
    this.canvas.addEventListener("pointerup", () => { this.at = null; this.changed(); });
    this.canvas.addEventListener("keydown", (event) => this.key(event));
    this.canvas.addEventListener("blur", () => this.mark());
    this.clear();
  }

  get ink() { return Number(this.field.querySelector(".pen").value); }

  size(name) {
    const fixed = this.one.shape[this.image[name]];
    return typeof fixed === "number" ? fixed : Math.max(1, Math.min(2048, Number(this.field.querySelector(`.${name}`).value) || 1));
  }

  clear() {
    this.blank();
    this.draw();
    this.changed();
  }

  blank() {
    this.height = this.size("height");
    this.width = this.size("width");
    this.pixels = new Float32Array(this.height * this.width * 3).fill(1 - this.ink);
    this.more = [];
    this.pen = [Math.floor(this.height / 2), Math.floor(this.width / 2)];
  }

  /** Takes the pixels of files: of the first those that are drawn on, the others behind it. */
  async load(files) {
    const bitmaps = [];
    for (const file of files) {
      try { bitmaps.push(await createImageBitmap(file)); } catch { return say(`${file.name} is not an image that this browser reads.`, true); }
    }
    if (!bitmaps.length) return;
    if (this.dynamic.length) this.fit(bitmaps[0]);
    [this.pixels, ...this.more] = bitmaps.map((bitmap) => this.scaled(bitmap));
    this.draw();
    this.changed();
  }

  /** Returns the pixels of a picture that is brought to the size of the input. */
  scaled(bitmap) {
    const drawing = new OffscreenCanvas(this.width, this.height).getContext("2d"), pixels = new Float32Array(this.height * this.width * 3);
    drawing.drawImage(bitmap, 0, 0, this.width, this.height);
    const bytes = drawing.getImageData(0, 0, this.width, this.height).data;
    for (let at = 0; at < this.width * this.height; at++) {
      for (let channel = 0; channel < 3; channel++) {
        const share = bytes[4 * at + 3] / 255;
        pixels[3 * at + channel] = (bytes[4 * at + channel] / 255) * share + (1 - this.ink) * (1 - share);
      }
    }
    return pixels;
  }

  /** Takes the sizes of a picture where the model takes any; a large one is made smaller. */
  fit(bitmap) {
    const share = Math.min(1, MOST_SIDE / Math.max(bitmap.width, bitmap.height));
    for (const name of this.dynamic) this.field.querySelector(`.${name}`).value = Math.max(1, Math.round(bitmap[name] * share));
    this.blank();
  }

  place(event) {
    const box = this.canvas.getBoundingClientRect();
    return [((event.clientY - box.top) / box.height) * this.height, ((event.clientX - box.left) / box.width) * this.width];
  }

  /** Draws a line whose edge is soft, about a twelfth of the image wide. */
  stroke(from, to) {
    const radius = Math.max(0.75, Math.min(this.height, this.width) / 24);
    const [dy, dx] = [to[0] - from[0], to[1] - from[1]], long = dy * dy + dx * dx;
    const ends = (axis, most) => [Math.max(0, Math.floor(Math.min(from[axis], to[axis]) - radius - 1)), Math.min(most, Math.ceil(Math.max(from[axis], to[axis]) + radius + 1))];
    const [top, bottom] = ends(0, this.height), [left, right] = ends(1, this.width);
    for (let y = top; y < bottom; y++) {
      for (let x = left; x < right; x++) {
        const along = long ? Math.max(0, Math.min(1, ((y + 0.5 - from[0]) * dy + (x + 0.5 - from[1]) * dx) / long)) : 0;
        const far = Math.hypot(y + 0.5 - from[0] - along * dy, x + 0.5 - from[1] - along * dx);
        this.dot(y, x, Math.max(0, Math.min(1, radius + 0.5 - far)));
      }
    }
    this.draw();
  }

  dot(y, x, share) {
    for (let channel = 0; channel < 3; channel++) {
      const at = 3 * (y * this.width + x) + channel;
      this.pixels[at] = this.ink ? Math.max(this.pixels[at], share) : Math.min(this.pixels[at], 1 - share);
    }
  }

  key(event) {
    const moves = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    const move = moves[event.key];
    if (move) {
      this.pen = [Math.max(0, Math.min(this.height - 1, this.pen[0] + move[0])), Math.max(0, Math.min(this.width - 1, this.pen[1] + move[1]))];
      if (event.shiftKey) this.dot(...this.pen, 1);
    } else if (event.key === " ") {
      this.dot(...this.pen, 1);
    } else if (event.key === "Delete" || event.key === "Backspace") {
      this.clear();
    } else return;
    event.preventDefault();
    this.draw();
    this.mark(this.pen);
    if (!move || event.shiftKey) this.changed();
  }

  draw() {
    Object.assign(this.canvas, { width: this.width, height: this.height });
    const drawing = this.canvas.getContext("2d"), image = drawing.createImageData(this.width, this.height);
    for (let at = 0, from = 0, to = 0; at < this.width * this.height; at++, from += 3, to += 4) {
      const grey = this.image.channels === 3 ? null : this.grey(from);
      for (let channel = 0; channel < 3; channel++) image.data[to + channel] = Math.round(255 * (grey ?? this.pixels[from + channel]));
      image.data[to + 3] = 255;
    }
    drawing.putImageData(image, 0, 0);
    const others = this.field.querySelector(".others"), count = this.more.length;
    if (others) others.textContent = count ? `and ${count} more image${count === 1 ? "" : "s"}` : "";
    this.mark();
  }

  /** Shows boxes (top, left, bottom, right) and masks over the image, or where the pen of the keyboard is. */
  mark(pen = null, boxes = [], masks = null) {
    const far = 640 / Math.max(this.width, this.height);
    Object.assign(this.over, { width: this.width * far, height: this.height * far });
    const drawing = this.over.getContext("2d");
    if (masks) drawing.drawImage(this.tinted(masks), 0, 0, this.over.width, this.over.height);
    drawing.lineWidth = 4;
    drawing.font = "20px sans-serif";
    drawing.strokeStyle = drawing.fillStyle = "#d9822b";
    if (pen) drawing.strokeRect(pen[1] * far, pen[0] * far, far, far);
    for (const { box: [top, left, bottom, right], text } of boxes) {
      drawing.strokeRect(left * far, top * far, (right - left) * far, (bottom - top) * far);
      drawing.fillText(text, left * far + 4, Math.max(20, top * far - 6));
    }
  }

  /** Returns a picture of masks, whose sizes are those of the image: each pixel of one is tinted. */
  tinted({ dims: [height, width], flat }) {
    const made = new OffscreenCanvas(width, height), drawing = made.getContext("2d"), image = drawing.createImageData(width, height);
    flat.forEach((value, at) => { if (value) image.data.set([217, 130, 43, 120], 4 * (at % (width * height))); });
    drawing.putImageData(image, 0, 0);
    return made;
  }

  grey(from, pixels = this.pixels) { return 0.299 * pixels[from] + 0.587 * pixels[from + 1] + 0.114 * pixels[from + 2]; }

  changed() { if (ready && !settings.state.length) run(); }

  read() {
    const [low, high] = this.field.querySelector(".range").value.split(" ").map(Number);
    const { height, width, channel, channels } = this.image;
    const dims = this.one.shape.map((size) => (typeof size === "number" ? size : 1));
    dims[height] = this.height;
    dims[width] = this.width;
    const images = [this.pixels, ...this.more];
    if (this.batch >= 0) dims[this.batch] = images.length;
    const flat = [], place = [], count = dims.reduce((all, size) => all * size, 1), isWhole = whole(this.one.dtype);
    for (let at = 0; at < count; at++) {
      for (let axis = dims.length - 1, rest = at; axis >= 0; rest = Math.floor(rest / dims[axis]), axis--) place[axis] = rest % dims[axis];
      const from = 3 * (place[height] * this.width + place[width]), pixels = images[place[this.batch] ?? 0];
      const value = low + (channels === 3 ? pixels[from + place[channel]] : this.grey(from, pixels)) * (high - low);
      flat.push(isWhole ? Math.round(value) : value);
    }
    return { dims, flat };
  }
}
