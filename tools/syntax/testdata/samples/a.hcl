# The region.
variable "region" {
  type = string
}
resource "aws_instance" "web" {
  ami = "x"
  network {
    id = 1
  }
}
locals {
  a = 1
}
output "ip" { value = 1 }
