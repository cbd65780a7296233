// The search of the site runs in a worker. A browser gives none to a page that was opened from a
// file; there the worker's script runs in a hidden frame instead. (The theme asks for a file of this
// name, which it would otherwise fetch from elsewhere.)
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super()
      this.waiting = []
      this.frame = document.createElement("iframe")
      this.frame.hidden = true
      document.body.appendChild(this.frame)
      const inside = this.frame.contentWindow
      inside.postMessage = data => this.tell(this, data)
      inside.importScripts = () => {}
      const script = inside.document.createElement("script")
      script.src = url
      script.onload = () => {
        this.waiting.forEach(data => this.tell(inside, data))
        this.waiting = null
      }
      inside.document.body.appendChild(script)
    }

    tell(whom, data) {
      const event = new MessageEvent("message", { data })
      if (whom === this && this.onmessage) this.onmessage(event)
      whom.dispatchEvent(event)
    }

    postMessage(data) {
      if (this.waiting) this.waiting.push(data)
      else this.tell(this.frame.contentWindow, data)
    }

    terminate() {
      this.frame.remove()
    }
  }
}
